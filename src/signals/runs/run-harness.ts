// Receives the name of a run's harness and the server's settings; returns the harness, or the reason why it is not available.
// Invariant: keys and addresses come only from the server's settings: no run and no tenant can set them.
import * as Layer from "effect/Layer"
import { DEFAULT_MODEL, OFFLINE_MODEL } from "../../model/catalogue/models.ts"
import { liveModel } from "../../model/live/live-model.ts"
import { offlineModel } from "../../model/offline/offline-model.ts"
import type { RunHarness } from "../../schemas/api/workflows.ts"
import { type Env, isOffline } from "../../schemas/env.ts"
import type { HarnessService } from "../harness.ts"
import { messagesHarness, type MessagesHarnessOptions } from "../harness/messages-harness.ts"
import { OpenAIHarness } from "../harness/openai.ts"

export type ModelEnv = Pick<
  Env,
  "ANTHROPIC_API_KEY" | "ANTHROPIC_BASE_URL" | "OPENAI_API_KEY" | "OPENAI_BASE_URL" | "OPENAI_MODEL"
>

/** A harness that answers with a model alone, without sessions. */
export type ModelName = Exclude<RunHarness, "session">

const OPENAI_MODEL = "gpt-5"

/** OpenAI's answers are not streamed here, so the first byte arrives only when the whole answer is complete. */
const OPENAI_TIMEOUTS = { firstByteMs: 1_200_000, idleMs: 300_000 }

/** The reason why this server can't run the harness, as a sentence; null if it can. */
export const missingHarness = (harness: RunHarness, env: ModelEnv): string | null => {
  if (harness === "claude" && isOffline(env))
    return "this server has no key for the Messages API. Start the run with offline, or have ANTHROPIC_API_KEY set."
  if (harness === "openai" && !env.OPENAI_API_KEY && !env.OPENAI_BASE_URL)
    return "this server has no key for OpenAI. Start the run with another harness, or have OPENAI_API_KEY set."
  return null
}

export interface ModelOptions extends Pick<MessagesHarnessOptions, "onUsage"> {
  /** The model that the agent or the run names. */
  readonly model: string | undefined
  readonly sessionId: string
}

export const runHarness = (
  harness: ModelName,
  env: ModelEnv,
  { model, ...options }: ModelOptions,
): Layer.Layer<HarnessService> => {
  switch (harness) {
    case "claude": {
      const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl } = env
      const live = liveModel({ ...(apiKey ? { apiKey } : {}), ...(baseUrl ? { baseUrl } : {}) })
      return Layer.provide(messagesHarness("Claude", { model: model ?? DEFAULT_MODEL, ...options }), live)
    }
    case "offline":
      return Layer.provide(messagesHarness("The offline model", { model: OFFLINE_MODEL, ...options }), offlineModel)
    case "openai": {
      const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: byDefault } = env
      return OpenAIHarness({
        model: model ?? (byDefault || OPENAI_MODEL),
        timeouts: OPENAI_TIMEOUTS,
        ...(apiKey ? { apiKey } : {}),
        ...(baseUrl ? { baseUrl } : {}),
      })
    }
  }
}
