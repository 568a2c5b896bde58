// Permanent approvals: what the answer `always` saves, for a session or for all sessions of its tenant.
// Invariant: an approval's id is derived from what it allows, so that the same approval is saved once.
import * as Schema from "effect/Schema"

export const SavedScope = Schema.Literals(["session", "tenant"])
export type SavedScope = typeof SavedScope.Type

/** The most saved approvals of a session, or of a tenant. */
export const MAX_SAVED_PERMISSIONS = 500

/** A saved approval as it is stored. `created_at` is in milliseconds since 1970. */
export const SavedApproval = Schema.Struct({
  id: Schema.String,
  permission: Schema.String,
  pattern: Schema.String,
  scope: SavedScope,
  created_at: Schema.Int,
  /** For the scope `tenant`: the version of the definitions that the session had. Later versions contain the approval. */
  version: Schema.optionalKey(Schema.Int),
})
export type SavedApproval = typeof SavedApproval.Type

/** A saved approval as the API shows it. */
export const SavedPermission = Schema.Struct({
  id: Schema.String,
  permission: Schema.String,
  pattern: Schema.String,
  scope: SavedScope,
  created_at: Schema.String,
}).annotate({ identifier: "SavedPermission" })
export type SavedPermission = typeof SavedPermission.Type

/** The id of an approval: two 32-bit FNV-1a hashes side by side. */
export const savedId = ({ permission, pattern }: { readonly permission: string; readonly pattern: string }): string => {
  const text = `${permission}\n${pattern}`
  let high = 0x811c9dc5
  let low = 0x01000193
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 0x01000193)
    low = Math.imul(low ^ (unit + index), 0x01000193)
  }
  return `sav_${[high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("")}`
}
