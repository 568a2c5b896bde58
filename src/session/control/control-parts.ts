// The parts of an open session that control requests use.
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { Hooks } from "../../agent/ports.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import type { ApiKeySource } from "../../schemas/sdk/messages/message-values.ts"
import type { SessionCore } from "../core.ts"
import type { TurnRunner } from "../turns/turn-runner.ts"

export interface ControlParts {
  readonly core: SessionCore
  readonly runner: TurnRunner
  readonly hooks: Hooks["Service"]
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  /** Where the model's key is from, as the official SDK names it. */
  readonly apiKeySource: ApiKeySource
}
