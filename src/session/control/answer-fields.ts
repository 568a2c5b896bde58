// Receives a client's answer to an ask, as a control response; returns the fields of it that apply.
// Invariant: an answer is never widened: a field that does not apply is left out, and an invalid permission update is dropped.
import * as Schema from "effect/Schema"
import { PermissionUpdate } from "../../schemas/sdk/options/permissions.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

type Fields = Readonly<Record<string, unknown>>

/**
 * The fields of a client's answer that apply; the official SDK sends everything that its callback returned. As there, invalid
 * permission updates are dropped, and the call may run all the same.
 */
export const permissionAnswer = (response: Fields): Fields => {
  const counting = response["behavior"] === "deny" ? DENIAL : APPROVAL
  const answer = Object.fromEntries(Object.entries(response).filter(([name]) => counting.has(name)))
  if (!("updatedPermissions" in answer)) return answer
  const { updatedPermissions: given, ...others } = answer
  return Array.isArray(given) ? { ...others, updatedPermissions: given.filter(isUpdate) } : others
}

/** The fields of an answer to an elicitation that apply: content only if the user accepts. */
export const elicitAnswer = ({ action, content }: Fields): Fields =>
  action === "accept" && isPlainObject(content) ? { action, content } : { action }

const isUpdate = Schema.is(PermissionUpdate)

const APPROVAL: ReadonlySet<string> = new Set(["behavior", "updatedInput", "updatedPermissions"])
const DENIAL: ReadonlySet<string> = new Set(["behavior", "message", "interrupt"])
