// Rows of the tables of decisions: each has a ruleset, the session's mode, a call and its decision. `asks` is an ask that a
// rule requires (it applies in every mode, and no saved approval answers it), `ask` any other.
import type { JudgedCall } from "../../../src/permissions/decide.ts"
import type { PermissionMode } from "../../../src/schemas/sdk/options/permissions.ts"
import type { PermissionRuleset } from "../../../src/schemas/sdk/options/permission-ruleset.ts"
import { call, write } from "../../permissions/calls.ts"

export type Expected = "allow" | "deny" | "ask" | "asks"
export interface Row {
  readonly rules: PermissionRuleset
  readonly mode?: PermissionMode
  readonly call: JudgedCall
  readonly expected: Expected
}

export type Rules = ReadonlyArray<readonly [permission: string, pattern: string, action: "allow" | "deny" | "ask"]>
const rules = (list: Rules): PermissionRuleset =>
  list.map(([permission, pattern, action]) => ({ permission, pattern, action }))
export const row = (
  given: Rules | PermissionRuleset,
  one: JudgedCall,
  expected: Expected,
  mode?: PermissionMode,
): Row => ({
  rules: Array.isArray(given) && Array.isArray(given[0]) ? rules(given as Rules) : (given as PermissionRuleset),
  call: one,
  expected,
  ...(mode === undefined ? {} : { mode }),
})

export const mcp = (name: string) => call(name, { mcpServer: name.split("__")[1] ?? "" })
export const fetchUrl = (subject: string) => call("WebFetch", { readOnly: true, subject })
export const task = (subject: string) => call("Agent", { readOnly: true, subject })
export const glob = (search: string, path?: string) =>
  call("Glob", {
    readOnly: true,
    search,
    paths: [path ?? "/workspace"],
    ...(path === undefined ? {} : { spelled: [path] }),
  })
/** A file that is a link and so has two names. */
export const linked = (name: string, path: string, to: string) =>
  call(name, { paths: [path, to], spelled: [path], edits: name !== "Read", readOnly: name === "Read" })
/** A path as the model wrote it, and what it refers to. */
export const spelled = (written: string, path: string) => ({ ...write(path), spelled: [written] })

export const A = "/workspace/src/a.ts"
