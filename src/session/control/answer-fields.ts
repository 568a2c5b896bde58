// Receives a client's answer to an ask, as a control response; returns the fields of it that apply.
// Invariant: an answer is never widened: a field that does not apply is left out, and with one invalid permission update all are.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { PermissionUpdate } from "../../schemas/sdk/options/permissions.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

type Fields = Readonly<Record<string, unknown>>

/**
 * The fields of a client's answer that apply; the official SDK sends everything that its callback returned. As there, an invalid
 * permission update makes all of them void, and the call may run all the same; unknown fields of an update are ignored.
 */
export const permissionFields = (response: Fields): Fields => {
  const counting = response["behavior"] === "deny" ? DENIAL : APPROVAL
  const answer = Object.fromEntries(Object.entries(response).filter(([name]) => counting.has(name)))
  if (!("updatedPermissions" in answer)) return answer
  const { updatedPermissions: given, ...others } = answer
  const decoded = decodeUpdates(given)
  return Result.isSuccess(decoded) ? { ...others, updatedPermissions: decoded.success } : others
}

/** The fields of an answer to an elicitation that apply: content only if the user accepts. */
export const elicitationFields = ({ action, content }: Fields): Fields =>
  action === "accept" && isPlainObject(content) ? { action, content } : { action }

const decodeUpdates = Schema.decodeUnknownResult(Schema.Array(PermissionUpdate))

const APPROVAL: ReadonlySet<string> = new Set(["behavior", "updatedInput", "updatedPermissions"])
const DENIAL: ReadonlySet<string> = new Set(["behavior", "message", "interrupt"])
