// The commands that every session has and whose prompts are Perch's own: `/init` and `/review`.
import type { Command } from "./command.ts"

const INIT = `Look through the files of this workspace and write CLAUDE.md in its root: what a newcomer needs to know.

Cover, as far as the files show it:
1. The commands that are needed every day: install, build, check, run all tests, run one test.
2. The structure of the code: its parts, the purpose of each, and how they depend on each other. Include what takes several files to find out, and leave out what a directory listing shows.
3. Rules that the project follows and that are not obvious from a single file.

Read README files, package manifests, configuration and existing instructions (CLAUDE.md, AGENTS.md, .cursorrules) first. If there is a CLAUDE.md, improve it and keep what is still correct. Write nothing that the files do not show and no advice that applies to every project, and keep it short enough to be read in two minutes.

$ARGUMENTS`

const REVIEW = `Review changes in this workspace. What to review: $ARGUMENTS

If nothing is specified above, review the changes of this session, or the files that the user asked about last.

1. Read the changed files, and the code that calls them or that they call, before you judge.
2. Look for problems: logic errors, missed cases, broken callers, race conditions, leaks, secrets, unchecked input, tests that are missing or that can't fail.
3. Check each finding against the code. Drop findings that you can't demonstrate.

Answer with the findings, the most serious first. For each: the file and line, what goes wrong and when, and how to fix it. Then one sentence on the change as a whole. Change no file. If nothing is wrong, say that in one sentence.`

export const BUILT_IN_COMMANDS: ReadonlyArray<Command> = [
  {
    name: "init",
    description: "Write a CLAUDE.md that introduces this workspace",
    argumentHint: "[what to focus on]",
    source: "builtin",
    body: { kind: "template", read: () => INIT },
  },
  {
    name: "review",
    description: "Review changes and list their problems",
    argumentHint: "[what to review]",
    source: "builtin",
    body: { kind: "template", read: () => REVIEW },
  },
]

/** The commands that a session answers itself: other sources can't define commands with these names. */
export const LOCAL_COMMANDS = [
  { name: "clear", description: "Start a new conversation in this session", aliases: ["reset", "new"] },
  {
    name: "compact",
    description: "Summarize the conversation to free up context",
    argumentHint: "[what the summary must contain]",
  },
  { name: "context", description: "Show how full the model's context is" },
  { name: "cost", description: "Show what this session has cost", aliases: ["usage", "stats"] },
  { name: "help", description: "List the commands of this session" },
] as const satisfies ReadonlyArray<Pick<Command, "name" | "description" | "argumentHint" | "aliases">>

/** The commands that change the session. */
export const SETTING_COMMANDS = [
  { name: "model", description: "Change the model of this session", argumentHint: "[model]" },
  { name: "effort", description: "Change the effort of this session", argumentHint: "[effort]" },
  { name: "rename", description: "Change the title of this session", argumentHint: "[title]" },
] as const satisfies ReadonlyArray<Pick<Command, "name" | "description" | "argumentHint">>
