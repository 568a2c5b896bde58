// Compares asks on the bus with the event types of opencode's own client. Nothing runs here: `tsc -p test` is the test.
// `plan.*` events are claudius's, and opencode's client does not know them; `id` next to the type is the frame's.
import type { EventPermissionAsked, EventPermissionReplied } from "@opencode-ai/sdk/v2"
import type { EventQuestionAsked, EventQuestionRejected, EventQuestionReplied } from "@opencode-ai/sdk/v2"
import type { AskBusEvent } from "../../src/views/bus/ask-events.ts"
import type { Check, Fits } from "./compare.ts"

type Ours<Type extends AskBusEvent["type"]> = Extract<AskBusEvent, { readonly type: Type }>["properties"]

export type AskEvents = Check<{
  asked: Fits<Ours<"permission.asked">, EventPermissionAsked["properties"]>
  replied: Fits<Ours<"permission.replied">, EventPermissionReplied["properties"]>
  questioned: Fits<Ours<"question.asked">, EventQuestionAsked["properties"]>
  answered: Fits<Ours<"question.replied">, EventQuestionReplied["properties"]>
  rejected: Fits<Ours<"question.rejected">, EventQuestionRejected["properties"]>
}>
