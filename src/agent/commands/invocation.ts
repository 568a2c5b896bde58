// Receives a prompt; returns the command that it calls, if it is one: `/name arguments`.
// Invariant: as the official SDK: the last text of a prompt decides, and its very first character is the slash.
import type { TurnQueued } from "../../schemas/log/event-payloads.ts"

export interface Invocation {
  readonly name: string
  /** What follows the name and one space, as it was written. */
  readonly args: string
  /** Blocks that came before the text, images for instance: they stay before what the command becomes. */
  readonly lead: ReadonlyArray<Readonly<Record<string, unknown>>>
}

type Prompt = TurnQueued["prompt"]

/** The call that a prompt makes, whether or not such a command exists. */
export const invocationOf = (prompt: Prompt): Invocation | null => {
  const text = callTextOf(prompt)
  if (text === null) return null
  const [, name = "", args = ""] = /^\/(\S+)(?:\s([\s\S]*))?$/.exec(text) ?? []
  const lead = typeof prompt === "string" ? [] : prompt.slice(0, -1)
  return name === "" ? null : { name, args: args.trim(), lead }
}

/** True for a prompt that may call a command: it joins no other prompt and no turn that runs. */
export const looksLikeCommand = (prompt: Prompt): boolean => callTextOf(prompt) !== null

const callTextOf = (prompt: Prompt): string | null => {
  const text = typeof prompt === "string" ? prompt : prompt.at(-1)?.["text"]
  return typeof text === "string" && text.startsWith("/") ? text : null
}
