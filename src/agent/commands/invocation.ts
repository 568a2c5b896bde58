// Receives a prompt; returns the command call in it, if it is one: `/name arguments`.
// Invariant: as in the official SDK, only the last block of a prompt counts, and its first character must be the slash.
import type { Block, Content } from "../../schemas/sdk/messages/blocks.ts"

export interface Invocation {
  readonly name: string
  /** What follows the name and one space, as it was written. */
  readonly args: string
  /** Blocks before the text, such as images: they stay before the command's expansion. */
  readonly lead: ReadonlyArray<Block>
}

/** The command call in a prompt, whether or not such a command exists; null for another prompt. */
export const invocationOf = (prompt: Content): Invocation | null => {
  const text = callTextOf(prompt)
  if (text === null) return null
  const [, name = "", args = ""] = /^\/(\S+)(?:\s([\s\S]*))?$/.exec(text) ?? []
  const lead = typeof prompt === "string" ? [] : prompt.slice(0, -1)
  return name === "" ? null : { name, args: args.trim(), lead }
}

/** True for a prompt that may call a command: such a prompt never joins another prompt or a running turn. */
export const looksLikeCommand = (prompt: Content): boolean => callTextOf(prompt) !== null

const callTextOf = (prompt: Content): string | null => {
  const text = typeof prompt === "string" ? prompt : prompt.at(-1)?.["text"]
  return typeof text === "string" && text.startsWith("/") ? text : null
}
