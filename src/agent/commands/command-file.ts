// Receives a Markdown file of `.claude/commands`; returns the command that it is, or what is wrong with it.
// Invariant: as the official SDK: folders are the beginning of the name (`sub/deep.md` is `/sub:deep`), and fields that mean
// nothing here change nothing.
import { namesIn, readFrontmatter, textIn } from "../../workspace/frontmatter.ts"
import type { Command } from "./command.ts"

const SEGMENT = /^[^\s/:]{1,64}$/

/** `path` is below `.claude/commands`. */
export const commandOfFile = (path: string, text: string): Command | { readonly issue: string } => {
  const segments = path.replace(/\.md$/, "").split("/")
  if (!segments.every((segment) => SEGMENT.test(segment)))
    return { issue: "has a name that no prompt can call: it may have neither white space nor a colon" }
  const { fields, body, issues } = readFrontmatter(text)
  if (issues[0] !== undefined) return { issue: issues[0] }
  if (body.trim() === "") return { issue: "has no text" }
  const description = textIn(fields["description"]) ?? firstLineOf(body)
  const hint = textIn(fields["argument-hint"]) ?? hintOf(fields["argument-hint"])
  const model = textIn(fields["model"])
  const agent = textIn(fields["agent"])
  const allowedTools = namesIn(fields["allowed-tools"])
  return {
    name: segments.join(":"),
    description: `${description} (project)`,
    ...(hint === undefined ? {} : { argumentHint: hint }),
    ...(model === undefined ? {} : { model }),
    ...(agent === undefined ? {} : { agent }),
    ...(allowedTools === undefined || allowedTools.length === 0 ? {} : { allowedTools }),
    source: "workspace",
    body: { kind: "template", read: () => body, appendsArguments: true },
  }
}

/** `[name] [thing]`, which YAML takes for a list. */
const hintOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map((item) => `[${String(item)}]`).join(" ") : undefined

const firstLineOf = (body: string): string => (body.trim().split("\n")[0] ?? "").slice(0, 200)
