// Receives a policy and a working directory; returns which files may be read and written without a question.
// Invariant: the result is the same before a call runs, when its script is judged, and while it runs, for each file.
import { isInside } from "./places.ts"
import { fileOutcome, isOpen } from "./ruleset/layer.ts"
import type { Policy } from "./policy.ts"
import { pathRule, type RuleSubject } from "./rules.ts"

export interface FileReach {
  readonly mayRead: (path: string) => boolean
  readonly mayWrite: (path: string) => boolean
}

export const fileReach = (
  policy: Policy,
  { cwd, matchesGlob }: Pick<RuleSubject, "cwd" | "matchesGlob">,
): FileReach => {
  const rules = policy.rules.allow.filter((rule) => pathRule(rule) !== null)
  // Permission to edit a file includes permission to read it.
  const may = (kind: "Read" | "Edit", path: string): boolean =>
    rules.some((rule) => {
      const about = pathRule(rule)
      return (about === "Edit" || about === kind) && rule.path.at(cwd).covers(path, matchesGlob) === true
    })
  if (policy.ruleset !== undefined || policy.approvals !== undefined) return layeredReach(policy, cwd, may)
  return {
    mayRead: (path) => isInside(path, cwd, policy) || may("Read", path),
    mayWrite: (path) =>
      policy.mode !== "plan" && ((policy.mode === "acceptEdits" && isInside(path, cwd, policy)) || may("Edit", path)),
  }
}

/** `fileReach` under a ruleset: files that it asks about or denies are closed; permission to edit includes reading. */
const layeredReach = (
  policy: Policy,
  cwd: string,
  may: (kind: "Read" | "Edit", path: string) => boolean,
): FileReach => {
  const ruling = (permission: "read" | "edit", path: string) => fileOutcome(permission, path, cwd, policy)
  const forbids = (outcome: ReturnType<typeof ruling>) => outcome === "deny" || outcome === "ask"
  const open = (path: string) => isOpen(path, cwd, policy)
  return {
    mayRead: (path) => {
      const outcome = ruling("read", path)
      if (forbids(outcome)) return false
      const opened = outcome === "default" ? ruling("edit", path) === "allow" : true
      return (opened && open(path)) || may("Read", path)
    },
    mayWrite: (path) => {
      if (policy.mode === "plan") return false
      const outcome = ruling("edit", path)
      if (forbids(outcome)) return false
      return ((outcome === "allow" || policy.mode === "acceptEdits") && open(path)) || may("Edit", path)
    },
  }
}
