// What a session needs from its recorder, or from the player of its recording.
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
  /** False in a playback: nothing is sent to the outside, not even messages that need no answer. */
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
  /** How the turn ends: as given, or with the failure of a playback. */
  endOf(end: TurnEnd): TurnEnd
  /** Resolves when the session is prepared for this turn or, for null, for a client's own call between turns. */
  prepare(turn: string | null): Promise<void>
  /** The tenant's definitions; null when none were recorded. `load` reads them from D1. */
  definitions(load: () => Promise<StoredDefinitions>): Promise<StoredDefinitions | null>
  /** Call it when a client has changed what is at this path of the workspace. */
  filesChanged(path: string): void
  /** Call it when a client registers its hooks and servers, inside the transaction or before it. */
  registered(registration: Registration): void
  /** Call it before the transaction in which asks are settled. */
  settling(asks: ReadonlyArray<AskRow>, answer: AskAnswer): void
  /** Call it when the turn is parked. */
  parked(turn: string): void
}

/** What a playback does to the running turn, as it was done during the recording. */
export interface TurnControl {
  /** A client stopped it. */
  readonly interrupt: () => void
  /** Its process died: another runner takes it over. */
  readonly takeOver: () => void
}
