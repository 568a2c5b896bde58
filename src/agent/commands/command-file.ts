// Receives a Markdown file of `.claude/commands`; returns its command, or what is wrong with it.
// Invariant: as in the official SDK, folders are the prefix of the name (`sub/deep.md` is `/sub:deep`), and unknown fields are
// ignored.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Effort } from "../../schemas/sdk/options/options.ts"
import {
  disallowedIn,
  type FrontmatterValue,
  namesIn,
  readFrontmatter,
  rulesIn,
  textIn,
} from "../../workspace/frontmatter.ts"
import { hooksOfMarkdown } from "../project/file-hooks.ts"
import type { Command } from "./command.ts"
import { fillCommandFile } from "./file-template.ts"

/** The agent of `context: fork` when the file names none. */
export const FORK_AGENT = "general-purpose"

const isEffort = Schema.is(Effort)

export const effortIn = (value: unknown): Effort | undefined => (isEffort(value) ? value : undefined)

const SEGMENT = /^[^\s/:]{1,64}$/

/** `path` is below `.claude/commands`. */
export const commandOfFile = (path: string, text: string): Command | { readonly issue: string } => {
  const segments = path.replace(/\.md$/, "").split("/")
  if (!segments.every((segment) => SEGMENT.test(segment)))
    return { issue: "has a name that prompts can't call: it must not contain white space or a colon" }
  const { fields, body, issues } = readFrontmatter(text)
  if (issues[0] !== undefined) return { issue: issues[0] }
  if (body.trim() === "") return { issue: "has no text" }
  const description = textIn(fields["description"]) ?? firstLineOf(body)
  const hint = hintIn(fields["argument-hint"])
  const model = textIn(fields["model"])
  const effort = effortIn(fields["effort"])
  const agent = textIn(fields["agent"]) ?? (fields["context"] === "fork" ? FORK_AGENT : undefined)
  const allowedTools = rulesIn(fields["allowed-tools"])
  const disallowedTools = disallowedIn(fields)
  const names = argumentNamesIn(fields["arguments"])
  const { hooks, notices } = hooksOfMarkdown(text, agent !== undefined)
  const name = segments.join(":")
  if (fields["user-invocable"] === false) return notForPeople({ name, source: "workspace" })
  return {
    name,
    description: `${description} (project)`,
    ...(hint === undefined ? {} : { argumentHint: hint }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(agent === undefined ? {} : { agent }),
    ...(allowedTools === undefined || allowedTools.length === 0 ? {} : { allowedTools }),
    ...(disallowedTools.length === 0 ? {} : { disallowedTools }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(notices.length === 0 ? {} : { notices }),
    source: "workspace",
    body: { kind: "prompt", expand: (args) => Effect.sync(() => fillCommandFile(body, names, args)) },
  }
}

/** A command that is not listed, and that answers a person who calls it. */
export const notForPeople = ({ name, source }: Pick<Command, "name" | "source">): Command => ({
  name,
  description: "",
  source,
  hidden: true,
  body: { kind: "local", answer: () => `/${name} is not for people: its file sets user-invocable to false.` },
})

/** The names of a file's arguments, by position: a list, or words. */
export const argumentNamesIn = (value: FrontmatterValue | undefined): ReadonlyArray<string> =>
  (namesIn(value) ?? []).flatMap((name) => name.split(/\s+/))

/** What to type after the command's name: a text, or `[name] [thing]`, which YAML parses as a list. */
export const hintIn = (value: FrontmatterValue | undefined): string | undefined =>
  Array.isArray(value) ? value.map((item) => `[${String(item)}]`).join(" ") : textIn(value)

const firstLineOf = (body: string): string => (body.trim().split("\n")[0] ?? "").slice(0, 200)
