// Receives one message for an agent, with the parameters of a chat channel's runner; runs it and returns its result.
// Invariant: runs of one session run one after the other, and the runtime of a run is decided when it reaches the head of its
// lane.
import type { ReplySettings } from "../schemas/interop/reply-settings.ts"
import type { EmbeddedRunResult } from "../schemas/runs/run-result.ts"
import { CLIENT_RUNTIME } from "../schemas/runs/run-runtime.ts"
import { replyOf } from "../views/run/reply-of.ts"
import { RunDelivery } from "./embedded/run-callbacks.ts"
import type { EmbeddedRunParams, HookContext } from "./embedded/run-params.ts"
import { runWithSdk } from "./embedded/sdk-run.ts"
import { checkedServer, invalidServer, runOnServer, type RunServer } from "./embedded/server-run.ts"

export type {
  AgentEnd,
  AgentEvent,
  BeforeAgentStart,
  BlockReply,
  ClaudeSdk,
  EmbeddedRunParams,
  HookContext,
  ReplyPart,
  RunCallbacks,
  RunHooks,
  SdkQuery,
} from "./embedded/run-params.ts"
export { EmbeddedRunError } from "./embedded/server-run.ts"
export type { EmbeddedRunResult } from "../schemas/runs/run-result.ts"

/**
 * Runs an agent once. Resolves with the result, also for a run that failed, was stopped or timed out; rejects with an
 * `EmbeddedRunError` when the server refuses the parameters, and with the last failure when it can't be reached. A repeated
 * `runId` is the same run: the callbacks are called again, and nothing is run twice.
 */
export const runEmbeddedAgent = (params: EmbeddedRunParams): Promise<EmbeddedRunResult> => {
  const { abortSignal } = params
  const waits = new AbortedWait(abortSignal)
  const run = inLane(`${params.perch?.url ?? ""} ${params.sessionKey ?? params.sessionId}`, async () => {
    waits.end()
    if (abortSignal?.aborted === true) return ABORTED
    const server = serverOf(params)
    // An unknown runtime is sent as it is: the server refuses it by name.
    const runtime = params.runtime ?? (setting("PERCH_RUNTIME") as EmbeddedRunParams["runtime"])
    const startedAt = Date.now()
    const ended = (result: EmbeddedRunResult | null, error?: unknown) => agentEnd(params, startedAt, result, error)
    try {
      const prompt = await startPrompt(params)
      const delivery = new RunDelivery(params)
      const reply = gatedReply(params)
      const result =
        runtime === CLIENT_RUNTIME
          ? await runWithSdk({ server, params, prompt: prompt ?? "", reply: replyOf({ ...params, reply }), delivery })
          : await runOnServer({
              server,
              body: bodyOf(params, {
                ...(Object.keys(reply).length === 0 ? {} : { reply }),
                ...(prompt === undefined ? {} : { prompt }),
                ...(runtime ? { runtime } : {}),
              }),
              delivery,
              ...(abortSignal === undefined ? {} : { signal: abortSignal }),
            })
      ended(result)
      return result
    } catch (error) {
      ended(null, error)
      throw error
    }
  })
  return Promise.race([run, waits.aborted])
}

/** The result of a run that was aborted while it waited in its lane. */
const ABORTED: EmbeddedRunResult = { meta: { durationMs: 0, aborted: true } }

/** Lets a run that waits in its lane end at once when its signal aborts. */
class AbortedWait {
  readonly aborted: Promise<EmbeddedRunResult>
  readonly #signal: AbortSignal | undefined
  #abort = () => {}

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
    this.aborted = new Promise((resolve) => {
      this.#abort = () => resolve(ABORTED)
    })
    signal?.addEventListener("abort", this.#abort, { once: true })
  }

  /** Called when the run starts: from then on it handles its signal itself. */
  end(): void {
    this.#signal?.removeEventListener("abort", this.#abort)
  }
}

/** The last run in each lane of this process; a lane is a session of a server. */
const lanes = new Map<string, Promise<unknown>>()

const inLane = <A>(key: string, run: () => Promise<A>): Promise<A> => {
  const before = lanes.get(key) ?? Promise.resolve()
  const own = before.then(run, run)
  const settled = own
    .catch(() => undefined)
    .then(() => {
      if (lanes.get(key) === settled) lanes.delete(key)
    })
  lanes.set(key, settled)
  return own
}

/** An environment variable; undefined if it is empty, and where there is no process, such as in a browser. */
const setting = (name: string): string | undefined => {
  // The global object has `process` only in some runtimes.
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  const value = process?.env?.[name]
  return value === undefined || value === "" ? undefined : value
}

const serverOf = ({ perch }: EmbeddedRunParams): RunServer => {
  if (perch !== undefined) return checkedServer(perch)
  const url = setting("PERCH_URL")
  const apiKey = setting("PERCH_API_KEY")
  if (url !== undefined && apiKey !== undefined) return checkedServer({ url, apiKey })
  throw invalidServer("perch", "is missing: give the server's url and apiKey, or set PERCH_URL and PERCH_API_KEY.")
}

/** Reply settings that include the gates, because the server has to know whether to send tool results and output. */
const gatedReply = ({ reply, shouldEmitToolResult, shouldEmitToolOutput }: EmbeddedRunParams): ReplySettings => ({
  ...(shouldEmitToolResult === undefined && shouldEmitToolOutput === undefined ? {} : { shouldEmitToolResult: true }),
  ...(shouldEmitToolOutput === undefined ? {} : { shouldEmitToolOutput: shouldEmitToolOutput() }),
  ...reply,
})

/** Parameters of the function that are not passed on to the server unchanged. */
const OWN = new Set([
  "perch",
  "abortSignal",
  "claudeSdk",
  "hooks",
  "shouldEmitToolResult",
  "shouldEmitToolOutput",
  "onAssistantMessageStart",
  "onPartialReply",
  "onBlockReply",
  "onBlockReplyFlush",
  "onReasoningStream",
  "onReasoningEnd",
  "onToolResult",
  "onAgentEvent",
  "reply",
  "prompt",
  "runtime",
])

const bodyOf = (params: EmbeddedRunParams, more: Readonly<Record<string, unknown>>) => {
  const { sessionId, runId } = params
  const sent = Object.entries(params).filter(([name, value]) => !OWN.has(name) && value !== undefined)
  return { ...Object.fromEntries(sent), ...more, sessionId, runId }
}

const contextOf = ({ sessionId, sessionKey, runId, workspaceDir }: EmbeddedRunParams): HookContext => ({
  sessionId,
  runId,
  ...(sessionKey === undefined ? {} : { sessionKey }),
  ...(workspaceDir === undefined ? {} : { workspaceDir }),
})

/** The prompt, preceded by the context that `before_agent_start` returns; a hook that fails adds nothing. */
const startPrompt = async (params: EmbeddedRunParams): Promise<string | undefined> => {
  const { prompt, hooks } = params
  if (prompt === undefined || hooks?.before_agent_start === undefined) return prompt
  try {
    const made = await hooks.before_agent_start({ prompt, messages: [] }, contextOf(params))
    return made?.prependContext === undefined ? prompt : `${made.prependContext}\n\n${prompt}`
  } catch {
    return prompt
  }
}

const agentEnd = (
  params: EmbeddedRunParams,
  startedAt: number,
  result: EmbeddedRunResult | null,
  failure: unknown,
): void => {
  const { payloads = [], meta } = result ?? {}
  const { aborted, error, durationMs = Date.now() - startedAt } = meta ?? {}
  const thrown = failure === undefined ? undefined : failure instanceof Error ? failure.message : "The run failed."
  const message = thrown ?? error?.message ?? payloads.find(({ isError }) => isError === true)?.text
  const success = message === undefined && aborted !== true
  const event = { messages: payloads, success, durationMs, ...(message === undefined ? {} : { error: message }) }
  try {
    const later = params.hooks?.agent_end?.(event, contextOf(params))
    if (later instanceof Promise) later.catch(() => undefined)
  } catch {
    // The hook only observes the run, so its failure is ignored.
  }
}
