// Receives a skill and its arguments; returns the skill's text for the model, and the scripts in it.
// Invariant: as in the official SDK, only the file contains scripts. Arguments are inserted verbatim: placeholders and
// scripts in them are not expanded.
import { anyOf, splitScripts, wordsOf } from "../commands/file-text.ts"
import { type FilledTemplate, joinOutputs, Room, type TooLong } from "../commands/template.ts"
import type { Skill } from "./skills.ts"

type Text = Pick<Skill, "folder" | "body" | "argumentNames">

/** The values of the variables in a skill's text. */
export interface SkillVariables {
  readonly sessionId: string
  readonly effort?: string
}

/** `$ARGUMENTS` is all of the arguments, `$0` and `$ARGUMENTS[0]` the first one, `$name` the one of that name. */
export const fillSkill = (
  { folder, body, argumentNames = [] }: Text,
  args: string,
  { sessionId, effort = "" }: SkillVariables,
): FilledTemplate | TooLong => {
  const words = wordsOf(args)
  const variables: Readonly<Record<string, string>> = {
    CLAUDE_SKILL_DIR: folder,
    CLAUDE_SESSION_ID: sessionId,
    CLAUDE_EFFORT: effort,
  }
  const placeholder = placeholderOf(argumentNames)
  let placed = false
  const room = new Room()
  const fill = (text: string) =>
    text.replace(placeholder, (whole, variable?: string, index?: string, short?: string, name?: string) => {
      // An escaped placeholder stays as text, without its backslash.
      if (whole.startsWith("\\")) return whole.slice(1)
      if (variable !== undefined) return variables[variable] ?? whole
      placed = true
      if (name !== undefined) return room.take(words[argumentNames.indexOf(name)] ?? "")
      const at = index ?? short
      return room.take(at === undefined ? args : (words[Number(at)] ?? whole))
    })
  const { texts, scripts } = splitScripts(body)
  const filled = { texts: texts.map(fill), scripts: scripts.map(fill) }
  const left = args.trim() === "" || placed ? "" : `\n\nARGUMENTS: ${args}`
  const [first = "", ...others] = filled.texts
  const begun = [`Base directory for this skill: ${folder}\n\n${first.trimStart()}`, ...others]
  return room.outcome({ scripts: filled.scripts, texts: begun.with(-1, `${begun.at(-1)?.trimEnd() ?? ""}${left}`) })
}

const placeholderOf = (names: ReadonlyArray<string>): RegExp =>
  new RegExp(
    String.raw`\\\$(?=\d|ARGUMENTS|(?:${anyOf(names)})(?!\w))|\$\{(CLAUDE_[A-Z_]{1,30})\}|\$ARGUMENTS\[(\d{1,3})\]|\$ARGUMENTS|\$(\d{1,3})(?!\d)|\$(${anyOf(names)})(?!\w)`,
    "g",
  )

const SCRIPTS_LEFT = "Commands written as !`command` were not run. If you need the output of one, run it with Bash."

/** The text with its scripts left in it, when nothing ran them: the model may run them, under the session's permissions. */
export const skillText = (
  skill: Text,
  args: string,
  variables: SkillVariables = { sessionId: "" },
): string | TooLong => {
  const filled = fillSkill(skill, args, variables)
  if ("fault" in filled) return filled
  const text = joinOutputs(
    filled,
    filled.scripts.map((script) => `!\`${script}\``),
  )
  return filled.scripts.length === 0 ? text : `${text}\n\n${SCRIPTS_LEFT}`
}

/** The list of skills for the model: names and descriptions, without their text. */
export const skillListing = (
  skills: ReadonlyArray<{ readonly name: string; readonly description: string }>,
  again: boolean,
): string => {
  const intro = again ? "The skills have changed. From now on these" : "These skills"
  if (skills.length === 0) return "The skills have changed. There are no skills anymore."
  return [
    `${intro} can be used with the tool Skill:`,
    "",
    ...skills.map(({ name, description }) => `- ${name}: ${description}`),
  ].join("\n")
}
