// Receives an answer to an ask, as the API accepts it, or a saved approval to revoke; returns the settled ask, or the
// approvals that are saved then.
import type { Actor } from "../../schemas/access.ts"
import type { SavedApproval } from "../../schemas/permissions-saved.ts"
import type { SessionCore } from "../core.ts"
import type { Refusal } from "../refusal.ts"

export const answerAsk = (
  { asks, askStore }: Pick<SessionCore, "asks" | "askStore">,
  requestId: string,
  answer: Readonly<Record<string, unknown>>,
  actor: Actor | undefined,
):
  | Refusal
  | {
      readonly request_id: string
      readonly status: "settled"
      readonly turn_id: string
      /** Approvals that the route has to store for the whole tenant. */
      readonly saved?: ReadonlyArray<SavedApproval>
    } => {
  const refused = asks.answer(requestId, answer, undefined, actor)
  if (refused !== undefined) return refused
  const ask = askStore.find(requestId)
  const saved = answer["scope"] === "tenant" ? (ask?.settled?.saved ?? []) : []
  return {
    request_id: requestId,
    status: "settled",
    turn_id: ask?.turn ?? "",
    ...(saved.length === 0 ? {} : { saved }),
  }
}

export const savedPermissions = (
  { permissions: { saved } }: Pick<SessionCore, "permissions">,
  revoke?: string,
  actor?: Actor,
): Refusal | { readonly saved: ReadonlyArray<SavedApproval> } => {
  const refused = revoke === undefined ? undefined : saved.revoke(revoke, actor)
  return refused ?? { saved: saved.list() }
}
