// Receives an answer to an ask as the API accepts it, or the id of a saved approval to revoke; returns the settled ask, or the
// approvals that remain.
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
  const refused = asks.answer(requestId, answer, { actor })
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

interface SavedList {
  readonly saved: ReadonlyArray<SavedApproval>
}

export const listSaved = ({ permissions: { saved } }: Pick<SessionCore, "permissions">): SavedList => ({
  saved: saved.list(),
})

/** Revokes a saved approval of the session, and lists those that remain. */
export const revokeSaved = (
  core: Pick<SessionCore, "permissions">,
  id: string,
  actor: Actor | undefined,
): Refusal | SavedList => core.permissions.saved.revoke(id, actor) ?? listSaved(core)
