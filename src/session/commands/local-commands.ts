// The commands that the session itself answers: `/context`, `/cost`, `/help`, `/compact` and `/clear`.
// Invariant: answering one changes nothing and sends no model request, except `/compact` and `/clear`, which restart the
// conversation.
import { LOCAL_COMMANDS } from "../../agent/commands/built-in.ts"
import type { Command } from "../../agent/commands/command.ts"
import { costAnswer } from "../control/control-reports.ts"
import { contextUsageFacts, usageOf } from "../control/report-facts.ts"
import type { SessionCore } from "../core.ts"

/** The commands with their answers. */
export const localCommands = (core: SessionCore): ReadonlyArray<Command> => {
  const answers: Readonly<Record<Exclude<LocalName, Restart>, () => string>> = {
    context: () => contextText(core),
    cost: () => costAnswer(core.memory.accounting, usageOf(core)).text,
    help: () => helpText(core),
  }
  return LOCAL_COMMANDS.map((command) => ({
    ...command,
    source: "builtin",
    body:
      command.name === "compact" || command.name === "clear"
        ? { kind: "local", answer: () => "", restarts: command.name }
        : { kind: "local", answer: answers[command.name] },
  }))
}

type LocalName = (typeof LOCAL_COMMANDS)[number]["name"]
type Restart = "compact" | "clear"

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
  return ["A prompt that starts with one of these is a command:", "", ...lines].join("\n")
}
