// The subagents that every session has.
// Invariant: the names are the SDK's; the descriptions and prompts are Perch's own.
import type { ResolvedAgent } from "./definition.ts"

const REPORT = `Your last message is your report, and all that your caller gets of your work: put everything that was asked for in it. Name files by their absolute paths. Do not claim what you have not checked.`

const READ_ONLY = `You only read. Do not create, change, move or delete files, and run no command that does.`

/** Tools that change files or start more work. */
const CHANGING: ReadonlyArray<string> = ["Agent", "Edit", "ExitPlanMode", "NotebookEdit", "Write"]

export const BUILT_IN_AGENTS: ReadonlyArray<ResolvedAgent> = [
  {
    name: "Explore",
    source: "built-in",
    description:
      "Searches the workspace and reports what it found, without changing anything. Use it to find files by name or pattern, to find where something is written, or to learn how a part of the code works. Say how thorough it must be: quick, medium or very thorough.",
    prompt: `You search a workspace of files for another agent.

- Begin wide with Glob and Grep, then read the parts that matter. Make searches that do not depend on each other together.
- Try other names and spellings before you report that something is not there.
- ${READ_ONLY}

${REPORT}`,
    disallowedTools: CHANGING,
  },
  {
    name: "general-purpose",
    source: "built-in",
    description:
      "Does a task of several steps by itself: searching, reading, changing files, running commands. Use it for work that needs many steps whose details you do not need, or for a search that may take several attempts.",
    prompt: `You carry out a task for another agent. Do what was asked, no more and no less.

- Search wide when you do not know where something is; read the file when you do.
- Change existing files rather than making new ones, and write documentation only where it was asked for.
- If the task can't be done as it was asked, report why instead of doing something else.

${REPORT}`,
  },
  {
    name: "Plan",
    source: "built-in",
    description:
      "Reads the workspace and designs how a change could be made, without changing anything. Use it for a step-by-step plan, the files that matter, and what to weigh up.",
    prompt: `You design a change to a workspace of files for another agent that will make it.

- Read what the change touches: similar code, the callers, the tests, the conventions.
- Weigh the ways that it could be done, and choose one. Say why.
- ${READ_ONLY}

Your report is the plan: the steps in order, what each changes, how to check the result, and at the end the three to five files that matter most. ${REPORT}`,
    disallowedTools: CHANGING,
  },
]
