// Receives the flags of the system prompt; returns the session's option, with the texts of the files that they name.
// Invariant: as in the official process, the text of a file precedes the text of a flag, and what is appended follows both.
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { readFlagFile } from "./flag-file.ts"

export interface PromptFlags {
  /** `--system-prompt`. With an empty text, the session has neither the preset nor a prompt of the app. */
  text?: string
  file?: string
  append?: string
  appendFile?: string
}

/** Undefined if no flag has a text. Throws LaunchError for a file that can't be read. */
export const systemPromptOf = (
  { text, file, append, appendFile }: PromptFlags,
  cwd: string,
): SessionOptions["systemPrompt"] => {
  const textIn = (flag: string, name: string | undefined) =>
    name === undefined ? undefined : readFlagFile(flag, name, cwd)
  const own = joined(textIn("--system-prompt-file", file), text)
  const appended = joined(textIn("--append-system-prompt-file", appendFile), append)
  if (own !== undefined) return joined(own, appended) || undefined
  return appended === undefined ? undefined : { type: "preset", preset: "claude_code", append: appended }
}

/** The texts as paragraphs: undefined if none is given, empty if all that are given are empty. */
const joined = (...texts: ReadonlyArray<string | undefined>): string | undefined => {
  const given = texts.filter((text) => text !== undefined)
  return given.length === 0 ? undefined : given.filter((text) => text !== "").join("\n\n")
}
