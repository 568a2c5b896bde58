// The parts of an open session that control requests use, and the types of their handlers.
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { Hooks } from "../../agent/ports.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import type { Actor } from "../../schemas/access.ts"
import type { ControlRequestOf, ControlSubtype } from "../../schemas/sdk/control/control.ts"
import type { ApiKeySource } from "../../schemas/sdk/messages/message-values.ts"
import type { SessionCore } from "../core.ts"
import type { ControlFrame } from "../feed/ask-frames.ts"
import type { TurnRunner } from "../turns/turn-runner.ts"

export interface ControlParts {
  readonly core: SessionCore
  readonly runner: TurnRunner
  readonly hooks: Hooks["Service"]
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  /** Where the model's key is from, as the official SDK names it. */
  readonly apiKeySource: ApiKeySource
}

/** `after` starts once the answer was sent: the client receives its effects on the session after the answer. */
export type Answer = Readonly<Record<string, unknown>> & {
  readonly pending?: ReadonlyArray<ControlFrame>
  readonly after?: () => Promise<unknown>
}

/** Handlers of requests, by subtype. `client` is the name of the sender. */
export type Handlers = {
  readonly [Subtype in ControlSubtype]?: (
    request: ControlRequestOf<Subtype>,
    client: string,
    by: Actor | undefined,
  ) => Answer | Promise<Answer>
}

export const NOTHING: Answer = {}
