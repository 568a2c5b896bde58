// Receives the request for a run; returns the prompt, its options and the session that it runs in.
// Invariant: combinations of parameters are checked before anything is written, and a parameter that conflicts with another
// one is refused by name.
import * as Effect from "effect/Effect"
import type { Content } from "../../schemas/sdk/messages/blocks.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { ClientTools } from "../../schemas/sdk/tools/client-tools.ts"
import { isUuid, uuidV8 } from "../../schemas/ids.ts"
import type { NewSession } from "../../schemas/rpc/session.ts"
import type { RunSubmission } from "../../schemas/rpc/turns.ts"
import { type AgentRunRequest, declaredTools } from "../../schemas/runs/run-request.ts"
import { CLIENT_RUNTIME } from "../../schemas/runs/run-runtime.ts"
import { replyOf } from "../../views/run/reply-of.ts"
import { promptSizeIssue } from "../../schemas/api/prompt-size.ts"
import { ApiError, invalidField } from "../errors/errors.ts"
import { newSession } from "../sessions/session-opening.ts"

/** The session for a caller's name: a UUID is the session's id; for any other name the id is a hash of tenant and name. */
export const runSession = (tenant: string, sessionId: string): Effect.Effect<string> => {
  const id = sessionId.toLowerCase()
  return isUuid(id) ? Effect.succeed(id) : Effect.promise(() => uuidV8("run-session", tenant, sessionId))
}

/** The uuid of a run's turn in its session: a `runId` that is a UUID, otherwise a hash of tenant, session and `runId`. */
export const runTurn = (tenant: string, session: string, runId: string): Effect.Effect<string> => {
  const id = runId.toLowerCase()
  return isUuid(id) ? Effect.succeed(id) : Effect.promise(() => uuidV8("run", tenant, session, runId))
}

export interface RunPlan {
  readonly prompt: Content
  readonly options: SessionOptions
  readonly appendSystemPrompt?: string
  readonly session: NewSession
  readonly run: RunSubmission
}

export const planRun = Effect.fnUntraced(function* (
  body: AgentRunRequest,
  runId: string,
  setting: string | undefined,
): Effect.fn.Return<RunPlan, ApiError> {
  const fault = faultOf(body)
  if (fault !== undefined) return yield* invalidField(fault.field, fault.message)
  const size = promptSizeIssue(promptOf(body))
  if (size !== undefined) {
    // The prompt's first block is its text.
    const field = size.field.replace(/^prompt\[(\d+)\]$/, (_, index: string) => `images[${Number(index) - 1}]`)
    return yield* new ApiError({
      type: "request_too_large",
      message: `${field}: ${size.what}. ${size.advice}`,
      field,
    })
  }
  const { extraSystemPrompt: extra = "", runtime, recording, timeoutMs, sessionKey, toolResults, workspaceDir } = body
  const options = optionsOf(body)
  const mode = runtime ?? (setting === "record" ? "record" : undefined)
  const ofSession: SessionOptions =
    mode === "record" || mode === "playback"
      ? { runtime: { mode, ...(recording === undefined ? {} : { recording }) } }
      : {}
  return {
    prompt: promptOf(body),
    options,
    ...(extra === "" ? {} : { appendSystemPrompt: extra }),
    session: newSession({
      prompt: "",
      ...(workspaceDir === undefined ? {} : { cwd: workspaceDir }),
      options: { ...body.options, ...ofSession },
    }),
    run: {
      run_id: runId,
      timeout_ms: timeoutMs,
      ...(runtime === undefined || runtime === CLIENT_RUNTIME ? {} : { runtime }),
      ...(recording === undefined ? {} : { recording }),
      ...(sessionKey === undefined ? {} : { session_key: sessionKey }),
      ...(toolResults === undefined
        ? {}
        : {
            results: toolResults.map(({ id, content, isError }) => ({
              id,
              answer: { content, ...(isError === undefined ? {} : { is_error: isError }) },
            })),
          }),
    },
  }
})

interface Fault {
  readonly field: string
  readonly message: string
}

/** The fault of a combination of parameters that are each valid. */
const faultOf = (body: AgentRunRequest): Fault | undefined => {
  const { prompt, images, toolResults, runtime, recording, clientTools, disableTools, options = {} } = body
  if (toolResults === undefined && prompt === undefined) {
    return {
      field: "prompt",
      message: "is missing: a run needs a prompt, or toolResults that continue an earlier run",
    }
  }
  const conflicting = toolResults === undefined ? undefined : NOT_WITH_RESULTS.find((name) => body[name] !== undefined)
  if (conflicting !== undefined) {
    return {
      field: conflicting,
      message:
        "can't be combined with toolResults, which continue the turn that waits for them. Send it with the next run",
    }
  }
  if (images !== undefined && prompt === undefined) return { field: "images", message: "come with a prompt" }
  if (toolResults !== undefined && new Set(toolResults.map(({ id }) => id)).size < toolResults.length)
    return { field: "toolResults", message: "has two results of one call" }
  if (runtime === CLIENT_RUNTIME) {
    return {
      field: "runtime",
      message: "claude-sdk runs in the caller's process: call runEmbeddedAgent of perch/interop",
    }
  }
  if (runtime === "playback" && recording === undefined) {
    return { field: "recording", message: "is missing: the runtime playback answers from a recording" }
  }
  if (recording !== undefined && runtime !== "playback") {
    return { field: "recording", message: "is for the runtime playback only" }
  }
  if (options.runtime !== undefined) return { field: "options.runtime", message: "is the parameter runtime of a run" }
  if (clientTools !== undefined && options.clientTools !== undefined)
    return { field: "clientTools", message: "can't be combined with options.clientTools, which has the same meaning" }
  if (disableTools === true && options.tools !== undefined)
    return { field: "disableTools", message: "can't be combined with options.tools" }
  const think = body.thinkLevel === undefined ? [] : (["thinking", "effort", "maxThinkingTokens", "variant"] as const)
  const level = think.find((name) => options[name] !== undefined)
  if (level !== undefined) return { field: "thinkLevel", message: `can't be combined with options.${level}` }
  if (body.model !== undefined && options.model !== undefined)
    return { field: "model", message: "can't be combined with options.model, which has the same meaning" }
  return undefined
}

const NOT_WITH_RESULTS = [
  "prompt",
  "images",
  "clientTools",
  "disableTools",
  "extraSystemPrompt",
  "model",
  "thinkLevel",
  "runtime",
  "recording",
  "options",
  "workspaceDir",
  "onBusy",
] as const

const promptOf = ({ prompt = "", images = [] }: AgentRunRequest): Content =>
  images.length === 0
    ? prompt
    : [
        { type: "text", text: prompt },
        ...images.map(({ data, mimeType }) => ({
          type: "image",
          source: { type: "base64", media_type: mimeType, data },
        })),
      ]

const optionsOf = (body: AgentRunRequest): SessionOptions => {
  const { options = {}, model, thinkLevel, disableTools, clientTools } = body
  const reply = replyOf(body)
  return {
    ...options,
    ...(model === undefined ? {} : { model }),
    ...(thinkLevel === undefined ? {} : thinking(thinkLevel)),
    ...(disableTools === true ? { tools: [] } : {}),
    // The body's schema has checked that these tools can be declared.
    ...(clientTools === undefined ? {} : { clientTools: declaredTools(clientTools) as typeof ClientTools.Type }),
    ...hooksOf(body),
    ...(Object.keys(reply).length === 0 ? {} : { reply: { ...options.reply, ...reply } }),
  }
}

/** Maps the hooks of a run to hooks of its turn: those before the first model request, and those at the end of the turn. */
const hooksOf = ({
  hooks: { before_agent_start: before = [], agent_end: end = [] } = {},
  options,
}: AgentRunRequest) => {
  if (before.length === 0 && end.length === 0) return {}
  const own = options?.hooks ?? {}
  const { UserPromptSubmit = [], Stop = [], StopFailure = [] } = own
  return {
    hooks: {
      ...own,
      UserPromptSubmit: [...UserPromptSubmit, ...before],
      Stop: [...Stop, ...end],
      StopFailure: [...StopFailure, ...end],
    },
  }
}

const thinking = (level: NonNullable<AgentRunRequest["thinkLevel"]>): Pick<SessionOptions, "thinking" | "effort"> => {
  if (level === "off") return { thinking: { type: "disabled" } }
  if (level === "adaptive") return { thinking: { type: "adaptive" } }
  return { effort: level === "minimal" ? "low" : level }
}
