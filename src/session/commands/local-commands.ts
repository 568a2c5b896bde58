// The commands that the session itself answers: `/context`, `/cost`, `/help`, `/compact` and `/clear`.
// Invariant: answering one changes nothing and asks no model.
import type { Command } from "../../agent/commands/command.ts"
import { costAnswer } from "../control/control-reports.ts"
import { contextUsageFacts, usageOf } from "../control/report-facts.ts"
import type { SessionCore } from "../core.ts"

/** Their names are taken: no other source may have a command of that name. */
export const localCommands = (core: SessionCore): ReadonlyArray<Command> => [
  local("clear", "Begin a new conversation in this session", () => NO_CLEAR, ["reset", "new"]),
  local("compact", "Sum the conversation up to make room", () => NO_COMPACT),
  local("context", "Show how full the model's context is", () => contextText(core)),
  local("cost", "Show what this session has cost", () => costAnswer(core.memory.accounting, usageOf(core)).text, [
    "usage",
  ]),
  local("help", "List the commands of this session", () => helpText(core)),
]

const NO_COMPACT =
  "This version of Perch can't compact a conversation, so nothing was changed. Open a new session, or fork this one at an earlier message."
const NO_CLEAR =
  "This version of Perch can't clear a conversation, so nothing was changed. Open a new session to begin a new one."

const local = (name: string, description: string, answer: () => string, aliases?: ReadonlyArray<string>): Command => ({
  name,
  description,
  ...(aliases === undefined ? {} : { aliases }),
  source: "builtin",
  body: { kind: "local", answer },
})

const contextText = (core: SessionCore): string => {
  const { categories, maxTokens, model, percentage, totalTokens } = contextUsageFacts(core)
  const share = (tokens: number) => `${((tokens / maxTokens) * 100).toFixed(1)} %`
  return [
    "## Context Usage",
    "",
    `**Model:** ${model}`,
    `**Tokens:** ${totalTokens} of ${maxTokens} (${percentage} %)`,
    "",
    "| Category | Tokens | Share |",
    "| --- | --- | --- |",
    ...categories.map(({ name, tokens }) => `| ${name} | ${tokens} | ${share(tokens)} |`),
  ].join("\n")
}

const helpText = (core: SessionCore): string => {
  const lines = core.commands.book.infos.map(
    ({ name, argumentHint, description }) => `/${name}${argumentHint === "" ? "" : ` ${argumentHint}`}: ${description}`,
  )
  return ["A prompt that begins with one of these is a command:", "", ...lines].join("\n")
}
