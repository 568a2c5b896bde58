// Receives a skill and its arguments; returns the skill's text for the model, and the scripts in it.
// Invariant: as in the official SDK, only the file contains scripts. Arguments are inserted verbatim: placeholders and
// scripts in them are not expanded.
import { type FilledTemplate, joinOutputs, Room, type TooLong } from "../commands/template.ts"
import type { Skill } from "./skills.ts"

type Text = Pick<Skill, "folder" | "body" | "argumentNames">

/** The values of the variables in a skill's text. */
export interface SkillVariables {
  readonly sessionId: string
  readonly effort?: string
}

const WORD = /"([^"]*)"|'([^']*)'|[^\s"']+/g
const INLINE = /(?<=^|\s)!`([^`]+)`/
const BLOCK = /^```![ \t]*$/

/** `$ARGUMENTS` is all of the arguments, `$0` and `$ARGUMENTS[0]` the first one, `$name` the one of that name. */
export const fillSkill = (
  { folder, body, argumentNames = [] }: Text,
  args: string,
  { sessionId, effort = "" }: SkillVariables,
): FilledTemplate | TooLong => {
  const words = [...args.matchAll(WORD)].map(([word, double, single]) => double ?? single ?? word)
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

const NAMED = /^\w{1,100}$/

const placeholderOf = (names: ReadonlyArray<string>): RegExp => {
  const named = names.filter((name) => NAMED.test(name))
  const own = named.length === 0 ? "(?!)" : named.join("|")
  return new RegExp(
    String.raw`\\\$(?=\d|ARGUMENTS)|\$\{(CLAUDE_[A-Z_]{1,30})\}|\$ARGUMENTS\[(\d{1,3})\]|\$ARGUMENTS|\$(\d{1,3})(?!\d)|\$(${own})(?!\w)`,
    "g",
  )
}

/** Texts, and between them the scripts: !`script`, and fenced blocks that start with three backticks and a `!`. */
const splitScripts = (body: string): FilledTemplate => {
  const texts: Array<string> = []
  const scripts: Array<string> = []
  const lines = body.split("\n")
  let text: Array<string> = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ""
    const end = BLOCK.test(line) ? lines.indexOf("```", at + 1) : -1
    if (end > at + 1) {
      texts.push([...text, ""].join("\n"))
      scripts.push(lines.slice(at + 1, end).join("\n"))
      text = [""]
      at = end
      if (at === lines.length - 1) break
      continue
    }
    // Texts and scripts alternate, since the pattern captures the script.
    const parts = line.split(INLINE)
    for (const [index, part] of parts.entries()) {
      if (index % 2 === 0) {
        if (index === 0) text.push(part)
        else text = [part]
      } else {
        texts.push(text.join("\n"))
        scripts.push(part)
      }
    }
  }
  return { texts: [...texts, text.join("\n")], scripts }
}

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
