// Executes a run with the official SDK in this process; its messages pass through the same views as the server's streams.
// Invariant: the SDK's process is a session of the server, so that a run is in the same log whatever its runtime is.
import { isUuid } from "../../schemas/ids.ts"
import type { ReplySettings } from "../../schemas/interop/reply-settings.ts"
import type { EmbeddedRunResult } from "../../schemas/runs/run-result.ts"
import { EMPTY_BASE } from "../../views/live/session-base.ts"
import { RunView } from "../../views/run/run-view.ts"
import type { RunDelivery } from "./run-callbacks.ts"
import type { ClaudeSdk, EmbeddedRunParams, SdkQuery } from "./run-params.ts"
import { SdkEvents } from "./sdk-events.ts"
import { EmbeddedRunError, type RunServer } from "./server-run.ts"

export interface SdkRun {
  readonly server: RunServer
  readonly params: EmbeddedRunParams
  readonly prompt: string
  readonly reply: ReplySettings
  readonly delivery: RunDelivery
}

/** Parameters that the runtime `claude-sdk` refuses, with the reason. */
const REFUSED: Readonly<Record<string, string>> = {
  clientTools: "are tools of POST /v1/runs. Give tools to the official SDK with options.mcpServers",
  toolResults: "belong to clientTools, which are tools of POST /v1/runs",
  recording: "is for the runtime playback",
  images: "are not supported with the runtime claude-sdk",
}

export const runWithSdk = async (run: SdkRun): Promise<EmbeddedRunResult> => {
  const { params } = run
  const { abortSignal, runId, timeoutMs } = params
  const sessionId = checkedSession(params)
  const query = params.claudeSdk?.query ?? (await importedQuery())
  const spawn = params.claudeSdk?.spawn ?? (await importedSpawn())
  // Node 20 has no Promise.withResolvers.
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const messages = query({
    prompt: onePrompt(run.prompt, ended),
    options: {
      ...sdkOptions(params),
      includePartialMessages: true,
      pathToClaudeCodeExecutable: "perch",
      spawnClaudeCodeProcess: spawn({ ...run.server, sessionId }),
    },
  })
  const events = new SdkEvents(runId, Date.now)
  const output = new RunOutput(run)
  await output.take(events.start(params, run.reply))
  const interrupt = () => void messages.interrupt?.().catch(() => undefined)
  const startTimer = () => setTimeout(() => void output.take(events.timedOut(runId)).then(interrupt), timeoutMs)
  let timer: ReturnType<typeof startTimer> | undefined
  abortSignal?.addEventListener("abort", interrupt, { once: true })
  try {
    for await (const message of messages) {
      const fields = message as Readonly<Record<string, unknown>> // an SDKMessage
      if (fields["type"] === "system" && fields["subtype"] === "init") {
        if (timer === undefined && abortSignal?.aborted === true) interrupt()
        timer ??= startTimer()
      }
      await output.take(events.ofMessage(fields))
      if (fields["type"] === "result") end()
    }
  } catch (error) {
    // After a result the SDK only throws the error that the result has reported already.
    if (output.result === null) throw error
  } finally {
    clearTimeout(timer)
    abortSignal?.removeEventListener("abort", interrupt)
    end()
  }
  if (output.result === null) throw new Error("The official SDK ended without a result.")
  return output.result
}

/** The id of the run's session. Throws an EmbeddedRunError for parameters that this runtime does not support. */
const checkedSession = (params: EmbeddedRunParams): string => {
  const refused = Object.keys(REFUSED).find((name) => Reflect.get(params, name) !== undefined)
  if (refused !== undefined) throw refusal(refused, REFUSED[refused] ?? "")
  const sessionId = params.sessionId.toLowerCase()
  if (!isUuid(sessionId))
    throw refusal("sessionId", "must be a UUID for the runtime claude-sdk, which has no other names")
  return sessionId
}

/** Passes the frames of a run on to its callbacks, and keeps its result. */
class RunOutput {
  readonly #view: RunView
  readonly #delivery: RunDelivery
  result: EmbeddedRunResult | null = null

  constructor({ params: { runId, sessionId }, delivery }: SdkRun) {
    this.#view = new RunView({ runId, sessionId, turn: runId, firstSeq: 0 }, EMPTY_BASE)
    this.#delivery = delivery
  }

  async take(events: ReturnType<SdkEvents["ofMessage"]>): Promise<void> {
    for (const event of events) {
      for (const { id, data } of this.#view.apply(event)) {
        const frame = JSON.parse(data) as { type: string; result: EmbeddedRunResult } // the view's own
        if (frame.type === "result") this.result = frame.result
        else await this.#delivery.take(data, id !== null)
      }
    }
  }
}

const refusal = (field: string, message: string): EmbeddedRunError =>
  new EmbeddedRunError(400, { type: "invalid_request_error", message: `${field}: ${message}.`, field })

/** Yields the prompt, and stays open until the run has ended: the SDK only accepts an interrupt while its input is open. */
async function* onePrompt(content: string, ended: Promise<void>) {
  yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" }
  await ended
}

const THINKING = { off: { type: "disabled" }, adaptive: { type: "adaptive" } } as const

const sdkOptions = ({
  options = {},
  model,
  thinkLevel,
  disableTools,
  extraSystemPrompt,
  workspaceDir,
}: EmbeddedRunParams): Record<string, unknown> => ({
  ...options,
  ...(model === undefined ? {} : { model }),
  ...(workspaceDir === undefined ? {} : { cwd: workspaceDir }),
  ...(thinkLevel === undefined
    ? {}
    : thinkLevel === "off" || thinkLevel === "adaptive"
      ? { thinking: THINKING[thinkLevel] }
      : { effort: thinkLevel === "minimal" ? "low" : thinkLevel }),
  ...(disableTools === true ? { tools: [] } : {}),
  ...(extraSystemPrompt === undefined
    ? {}
    : { systemPrompt: { type: "preset", preset: "claude_code", append: extraSystemPrompt } }),
})

// Variables, so that bundlers do not try to resolve packages that an app may not have.
const SDK_PACKAGE: string = "@anthropic-ai/claude-agent-sdk"
const CLIENT_PACKAGE: string = "perch/client"

const importedQuery = async (): Promise<SdkQuery> => {
  const { query } = (await import(SDK_PACKAGE)) as { query: SdkQuery } // the SDK exports it
  return query
}

const importedSpawn = async (): Promise<NonNullable<ClaudeSdk["spawn"]>> => {
  const { spawnPerch } = (await import(CLIENT_PACKAGE)) as { spawnPerch: NonNullable<ClaudeSdk["spawn"]> } // ours
  return spawnPerch
}
