// Receives a project's files; returns its skills: `.claude/skills/NAME/SKILL.md`, as the model, people and rules see them.
// Invariant: a skill's only name is its folder's, so that no other name bypasses a rule; a file that can't be used is named
// in `notices` and does not affect the others.
import type { Effort, SessionOptions } from "../../schemas/sdk/options/options.ts"
import { disallowedIn, type Frontmatter, readFrontmatter, rulesIn, textIn } from "../../workspace/frontmatter.ts"
import type { HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import { argumentNamesIn, effortIn, FORK_AGENT, hintIn } from "../commands/command-file.ts"
import { hooksOfMarkdown } from "./file-hooks.ts"
import type { ProjectReader } from "./project-reader.ts"

export interface Skill {
  readonly name: string
  /** For the model, with the occasions for its use. */
  readonly description: string
  /** For people. */
  readonly shownDescription: string
  /** The absolute path of its folder, which also contains the skill's other files. */
  readonly folder: string
  /** The text after the frontmatter. */
  readonly body: string
  readonly argumentHint?: string
  /** Rules that allow calls in the turn that uses the skill. */
  readonly allowedTools?: ReadonlyArray<string>
  /** Rules that deny calls in that turn. */
  readonly disallowedTools?: ReadonlyArray<string>
  /** Hooks that are called in the turn that uses the skill. */
  readonly hooks?: HttpHookMatchers
  /** The names of its arguments in the text, by position. */
  readonly argumentNames?: ReadonlyArray<string>
  /** The model of a turn whose prompt calls the skill, and of the subagent as which it runs. */
  readonly model?: string
  readonly effort?: Effort
  /** The subagent as which the skill runs (`context: fork`). */
  readonly agent?: string
  /** Whether the file says what the skill is for; otherwise its first line is the description. */
  readonly described: boolean
  /** False when only people can call it, as `/NAME`: the file says so, or `options.skills` does not select it. */
  readonly forModel: boolean
  /** False when only the model can call it. */
  readonly forPeople: boolean
}

export interface Skills {
  readonly skills: ReadonlyArray<Skill>
  /** What is invalid or has no effect, a sentence each. */
  readonly notices: ReadonlyArray<string>
}

const MAX_SKILLS = 200
/** The most folders with an invalid name that notices list. */
const MAX_NAMED = 20
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u
const MAX_DESCRIPTION = 1536

/** Fields that have no effect here, with what happens instead. */
const NOT_HONOURED: Readonly<Record<string, string>> = {
  paths: "the skill is always listed",
}

export const NO_SKILLS: Skills = { skills: [], notices: [] }

/** True when a session's options ask for skills of the project. */
export const usesSkills = ({ skills = [], settingSources = [] }: Pick<SessionOptions, "skills" | "settingSources">) =>
  settingSources.includes("project") || skills.length > 0

/**
 * The skills that a session may use, sorted by name. As in the official SDK, `options.skills` selects those that the model may
 * use; people can call all skills of their sources.
 */
export const readSkills = (
  reader: ProjectReader,
  options: Pick<SessionOptions, "skills" | "settingSources">,
): Skills => {
  if (!usesSkills(options)) return NO_SKILLS
  const folders = reader.list(reader.at(".claude/skills")).filter(({ type }) => type !== "file")
  const named = folders.map(({ name }) => name).toSorted()
  const usable = named.filter((name) => NAME.test(name))
  const chosen = usable.slice(0, MAX_SKILLS)
  const read = chosen.map((name) => skillAt(reader, name))
  const skills = read.flatMap(({ skill }) => (skill === null ? [] : [skill]))
  const { skills: wanted = "all", settingSources = [] } = options
  const isWanted = ({ name }: Skill) => wanted === "all" || wanted.includes(name)
  const kept = settingSources.includes("project")
    ? skills.map((skill) => (isWanted(skill) ? skill : { ...skill, forModel: false }))
    : skills.filter(isWanted)
  const missing = wanted === "all" ? [] : wanted.filter((name) => !skills.some((skill) => skill.name === name))
  return {
    skills: kept,
    notices: [
      ...named
        .filter((name) => !NAME.test(name))
        .slice(0, MAX_NAMED)
        .map((name) => `The skill folder ${JSON.stringify(name.slice(0, 200))} is left out: its name is invalid.`),
      ...(usable.length > MAX_SKILLS
        ? [`The folder .claude/skills has more than ${MAX_SKILLS} skills; the others are left out.`]
        : []),
      ...read.flatMap(({ notices }) => notices),
      ...missing.map((name) => `options.skills contains ${JSON.stringify(name)}, but the project has no such skill.`),
    ],
  }
}

const skillAt = (reader: ProjectReader, name: string) => {
  const folder = reader.at(`.claude/skills/${name}`)
  const file = reader.read(`${folder}/SKILL.md`)
  if (file === null) return { skill: null, notices: [] }
  const front = readFrontmatter(file.text)
  const { hooks, notices: ofHooks } = hooksOfMarkdown(file.text, front.fields["context"] === "fork")
  const notices = [...noticesOf(name, front, file.cut), ...ofHooks.map((what) => `The skill ${name}: ${what}`)]
  if (front.body.trim() === "") return { skill: null, notices: [...notices, `The skill ${name} has no text.`] }
  return { skill: { ...skillOf(name, folder, front), ...(hooks === undefined ? {} : { hooks }) }, notices }
}

const skillOf = (name: string, folder: string, { fields, body }: Frontmatter): Skill => {
  const given = textIn(fields["description"])
  const described = given ?? firstLine(body)
  const when = textIn(fields["when_to_use"])
  const hint = hintIn(fields["argument-hint"])
  const allowedTools = rulesIn(fields["allowed-tools"])
  const disallowedTools = disallowedIn(fields)
  const names = argumentNamesIn(fields["arguments"])
  const model = textIn(fields["model"])
  const effort = effortIn(fields["effort"])
  return {
    name,
    description: oneLine(when === undefined ? described : `${described} - ${when}`),
    shownDescription: oneLine(described),
    folder,
    body,
    ...(hint === undefined ? {} : { argumentHint: hint }),
    ...(allowedTools === undefined || allowedTools.length === 0 ? {} : { allowedTools }),
    ...(disallowedTools.length === 0 ? {} : { disallowedTools }),
    ...(names.length === 0 ? {} : { argumentNames: names }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(fields["context"] === "fork" ? { agent: textIn(fields["agent"]) ?? FORK_AGENT } : {}),
    described: (given ?? when) !== undefined,
    forModel: fields["disable-model-invocation"] !== true,
    forPeople: fields["user-invocable"] !== false,
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").slice(0, MAX_DESCRIPTION)

const firstLine = (body: string): string => {
  const line = body.split("\n").find((text) => text.trim() !== "") ?? ""
  return line.replace(/^#+\s*/, "").trim()
}

const noticesOf = (name: string, { fields, issues }: Frontmatter, cut: boolean): ReadonlyArray<string> => [
  ...issues.map((issue) => `The skill ${name} ${issue}.`),
  ...Object.entries(NOT_HONOURED).flatMap(([field, instead]) =>
    fields[field] === undefined
      ? []
      : [`The skill ${name} has the field \`${field}\`, which is not supported: ${instead}.`],
  ),
  ...(fields["effort"] === undefined || effortIn(fields["effort"]) !== undefined
    ? []
    : [`The skill ${name} has an unknown \`effort\`: the session's effort applies.`]),
  ...(fields["context"] === undefined || fields["context"] === "fork"
    ? []
    : [`The skill ${name} has an unknown \`context\`: it runs in the conversation itself.`]),
  ...(fields["agent"] === undefined || fields["context"] === "fork"
    ? []
    : [`The skill ${name} sets \`agent\` without \`context: fork\`: it runs in the conversation itself.`]),
  ...(cut ? [`The skill ${name} is too long: everything after its first 64 KiB is left out.`] : []),
]
