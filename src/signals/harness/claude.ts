// Claude as a harness for programs that have their own API key.
// Invariant: the key and the address come from the options or the environment, and appear in no error.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { liveModel } from "../../model/live/live-model.ts"
import type { ModelError } from "../../model/messages-api.ts"
import { HarnessService } from "../harness.ts"
import { accessFault } from "./access-fault.ts"
import { environment } from "./environment.ts"
import { messagesHarness, type MessagesHarnessOptions } from "./messages-harness.ts"
import { modelHarness, type TextModel } from "./model-harness.ts"
import { notSetUp } from "./unfinished.ts"

export interface ClaudeHarnessOptions extends MessagesHarnessOptions {
  /** Default: `ANTHROPIC_API_KEY` of the environment. */
  readonly apiKey?: string
  /** Default: `ANTHROPIC_BASE_URL` of the environment, or else Anthropic's own address. */
  readonly baseUrl?: string
}

/** Claude with your own API key, in Node and in Workers. Without a key and a base URL, every prompt fails. */
export const ClaudeHarness = (options: ClaudeHarnessOptions): Layer.Layer<HarnessService> => {
  const apiKey = (options.apiKey ?? environment("ANTHROPIC_API_KEY"))?.trim()
  const baseUrl = options.baseUrl ?? environment("ANTHROPIC_BASE_URL")
  const fault =
    apiKey === undefined && baseUrl === undefined
      ? "ClaudeHarness has no API key. Pass `apiKey`, or set ANTHROPIC_API_KEY."
      : accessFault("ClaudeHarness", { apiKey, baseUrl })
  if (fault !== null) return refusing(options.model, notSetUp(fault))
  const settings = { ...(apiKey === undefined ? {} : { apiKey }), ...(baseUrl === undefined ? {} : { baseUrl }) }
  return Layer.provide(messagesHarness("Claude", options), liveModel(settings))
}

const refusing = (model: string, error: ModelError): Layer.Layer<HarnessService> => {
  const refused: TextModel = {
    name: "Claude",
    model,
    whole: () => Effect.fail(error),
    pieces: () => Stream.fail(error),
  }
  return Layer.sync(HarnessService, () => modelHarness(refused))
}
