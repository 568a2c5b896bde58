// The events of the log by name. Nothing runs here: `tsc -p test` is the test.
import type { CallFinished, EventName, PayloadOf, TurnQueued } from "../../src/schemas/log/event-payloads.ts"
import type { LogEvent, NewEvent, ResultName } from "../../src/schemas/log/events.ts"
import type { SDKResultError, SDKResultSuccess } from "../../src/schemas/sdk/messages/result-messages.ts"
import type { Check, Fits, Same } from "./compare.ts"

type Differs<A, B> = [A] extends [B] ? { readonly accepted: A; readonly as: B } : true

/** A name that the map does not have is no name of an event: it can be neither written nor compared. */
export type MisspeltNames = Check<{
  own: Differs<"turn:qeued", EventName>
  message: Differs<"sdk:usr", EventName>
  subtype: Differs<"sdk:system/sttus", EventName>
  new: Differs<{ readonly name: "turn:qeued"; readonly payload: TurnQueued }, NewEvent>
}>

/** The payload of an event is the one of its name. */
export type WrongPayloads = Check<{
  other: Differs<{ readonly name: "turn:queued"; readonly payload: CallFinished }, NewEvent>
  right: Fits<{ readonly name: "turn:queued"; readonly payload: TurnQueued }, NewEvent>
}>

type Narrowed<N extends EventName> = Extract<LogEvent, { readonly name: N }>["payload"]

/** Code that has compared the name knows the payload. */
export type NarrowedPayloads = Check<{
  own: Same<Narrowed<"call:finished">, CallFinished>
  message: Same<Narrowed<"sdk:system/status">, PayloadOf<"sdk:system/status">>
  result: Fits<PayloadOf<ResultName>, SDKResultError | SDKResultSuccess>
}>
