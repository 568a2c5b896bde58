// Receives a skill and its arguments; returns the text with which the model carries it out.
// Invariant: a skill's text runs nothing: commands in it are for the model to run, under the session's permissions.
import type { Skill } from "./skills.ts"

const WORD = /"([^"]*)"|'([^']*)'|[^\s"']+/g
const PLACEHOLDER = /\$ARGUMENTS\[(\d{1,3})\]|\$ARGUMENTS|\$(\d{1,3})(?!\d)/g
const COMMAND = /(?:^|\s)!`[^`]+`|^```!/m

const COMMANDS_LEFT = "Commands written as !`command` were not run. Where you need what one prints, run it with Bash."

/** `$ARGUMENTS` is all of the arguments, `$0` and `$ARGUMENTS[0]` the first one. */
export const skillText = ({ folder, body }: Pick<Skill, "folder" | "body">, args: string): string => {
  const words = [...args.matchAll(WORD)].map(([word, double, single]) => double ?? single ?? word)
  let placed = false
  const filled = body.replaceAll("${CLAUDE_SKILL_DIR}", folder).replace(PLACEHOLDER, (_, index, short) => {
    placed = true
    const at: string | undefined = index ?? short
    return at === undefined ? args : (words[Number(at)] ?? "")
  })
  const parts = [
    `Base directory for this skill: ${folder}`,
    filled.trim(),
    ...(args.trim() === "" || placed ? [] : [`ARGUMENTS: ${args}`]),
    ...(COMMAND.test(body) ? [COMMANDS_LEFT] : []),
  ]
  return parts.join("\n\n")
}

/** How skills are listed for the model: names and what they are for, and nothing of their text. */
export const skillListing = (
  skills: ReadonlyArray<{ readonly name: string; readonly description: string }>,
  again: boolean,
): string => {
  const intro = again ? "The skills have changed. From here on these" : "These skills"
  if (skills.length === 0) return "The skills have changed. There are none any more."
  return [
    `${intro} can be used with the tool Skill:`,
    "",
    ...skills.map(({ name, description }) => `- ${name}: ${description}`),
  ].join("\n")
}
