// Receives an answer to an ask, as the API takes it; returns the ask as it is then.
import type { Actor } from "../../schemas/access.ts"
import type { SessionCore } from "../core.ts"
import type { Refusal } from "../refusal.ts"

export const answerAsk = (
  { asks, askStore }: Pick<SessionCore, "asks" | "askStore">,
  requestId: string,
  answer: Readonly<Record<string, unknown>>,
  actor: Actor | undefined,
): Refusal | { readonly request_id: string; readonly status: "settled"; readonly turn_id: string } =>
  asks.answer(requestId, answer, undefined, actor) ?? {
    request_id: requestId,
    status: "settled",
    turn_id: askStore.find(requestId)?.turn ?? "",
  }
