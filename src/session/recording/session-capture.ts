// What a session asks of the side that records it, or plays a recording for it.
import type { AskAnswer, Asks, Log, ToolLedger } from "../../agent/ports.ts"
import type { TurnEnd } from "../../agent/messages/result.ts"
import type { MessagesApi } from "../../model/messages-api.ts"
import type { Exchange } from "../../recording/capture.ts"
import type { StoredDefinitions } from "../../schemas/definitions.ts"
import type { AskRow } from "../storage/ask-store.ts"
import type { LogRider } from "../storage/log-rider.ts"
import type { Registration } from "../storage/meta.ts"

export interface SessionCapture {
  readonly exchange: Exchange
  /** False when nothing reaches the outside: what needs no answer is not sent. */
  readonly sends: boolean
  /** Writes in the transactions of the log. */
  readonly rider: LogRider
  /** Call it once, before any turn runs. */
  controls(control: TurnControl): void
  /** See `TurnContext`. */
  readonly idOf: (toolUseId: string) => string
  models(api: MessagesApi["Service"]): MessagesApi["Service"]
  log(port: Log["Service"]): Log["Service"]
  asks(port: Asks["Service"]): Asks["Service"]
  ledger(port: ToolLedger["Service"]): ToolLedger["Service"]
  /** How the turn is to end. */
  endOf(end: TurnEnd): TurnEnd
  /** Resolves when the session is as this turn needs it; null: a client's own call, between turns. */
  prepare(turn: string | null): Promise<void>
  /** What the tenant has stored; null when nothing was recorded of it. `load` asks D1. */
  definitions(load: () => Promise<StoredDefinitions>): Promise<StoredDefinitions | null>
  /** A client has changed what is at the path of the workspace. */
  filesChanged(path: string): void
  /** A client has registered its hooks and servers. Call it inside the transaction, or before it. */
  registered(registration: Registration): void
  /** Asks are about to be settled, in the transaction that comes next. */
  settling(asks: ReadonlyArray<AskRow>, answer: AskAnswer): void
  /** The turn waits for an answer, and nothing of it runs. */
  parked(turn: string): void
}

/** What a playback does to the turn that runs, as it was done when it was recorded. */
export interface TurnControl {
  /** A client stopped it. */
  readonly interrupt: () => void
  /** Its process died: another runner takes it over. */
  readonly takeOver: () => void
}
