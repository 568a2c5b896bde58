// Scenarios in which Perch deliberately differs from what was recorded: the aspects that differ, and why.

interface Deliberate {
  readonly differs: ReadonlyArray<"messages" | "hooks" | "permissions" | "requests" | "result">
  readonly reason: string
}

export const DELIBERATE: Readonly<Record<string, Deliberate>> = {}
