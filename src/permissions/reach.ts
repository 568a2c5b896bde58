// Receives a policy and a working directory; returns which files may be read and written without a question.
// Invariant: the same answer before a call runs, when its script is judged, and while it runs, file by file.
import { isInside } from "./places.ts"
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
  // Who may edit a file may read it.
  const may = (kind: "Read" | "Edit", path: string): boolean =>
    rules.some((rule) => {
      const about = pathRule(rule)
      return (about === "Edit" || about === kind) && rule.path.at(cwd).covers(path, matchesGlob) === true
    })
  return {
    mayRead: (path) => isInside(path, cwd, policy) || may("Read", path),
    mayWrite: (path) =>
      policy.mode !== "plan" && ((policy.mode === "acceptEdits" && isInside(path, cwd, policy)) || may("Edit", path)),
  }
}
