// Receives a command's template and its arguments; returns the prompt, after its scripts have run.
// Invariant: arguments and outputs are inserted verbatim: placeholders and shell commands in them are not expanded. The
// inserted arguments together are at most as long as a prompt may be.
import { TEXT_LIMIT } from "../../schemas/api/prompt-size.ts"

const ARGUMENT = /(?:\[Image\s+\d+\]|"[^"]*"|'[^']*'|[^\s"']+)/gi
const PLACEHOLDER = /\$(\d+|ARGUMENTS)/g
const SHELL = /!`([^`]+)`/g

/** The arguments of a call: words, quoted texts with their quotes, and `[Image 1]`. */
export const argumentsOf = (args: string): ReadonlyArray<string> => args.match(ARGUMENT) ?? []

/** A template with its placeholders filled: texts, and between them the scripts whose outputs are to be inserted. */
export interface FilledTemplate {
  /** One more than there are scripts. */
  readonly texts: ReadonlyArray<string>
  readonly scripts: ReadonlyArray<string>
}

/** Why a text can't be filled: one sentence for the sender of the arguments. */
export interface TooLong {
  readonly fault: string
}

const TOO_LONG: TooLong = {
  fault: `With its arguments filled in, the text would be longer than ${TEXT_LIMIT} characters. Write the arguments to a file of the workspace, and send its path.`,
}

/** Counts how many characters may still be inserted into the texts of one template. */
export class Room {
  #left = TEXT_LIMIT

  /** Returns the value, or an empty text once the values together are too long. */
  take(value: string): string {
    this.#left -= value.length
    return this.#left < 0 ? "" : value
  }

  /** Returns the filled template, or a fault if the values were too long. */
  outcome(filled: FilledTemplate): FilledTemplate | TooLong {
    return this.#left < 0 ? TOO_LONG : filled
  }
}

/** Fills a template: `$1` and so on with an argument, or nothing when there are fewer; `$ARGUMENTS` with all as written. */
export const fillTemplate = (template: string, args: string): FilledTemplate | TooLong => {
  const values = argumentsOf(args)
  const room = new Room()
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (_, key: string) =>
      room.take(key === "ARGUMENTS" ? args : (values[Number(key) - 1] ?? "")),
    )
  const parts = partsOf(template).map(fill)
  return room.outcome({
    texts: parts.filter((_, index) => isText(index)),
    scripts: parts.filter((_, index) => !isText(index)),
  })
}

/** True for a template that contains shell scripts. */
export const hasScripts = (template: string): boolean => partsOf(template).length > 1

/** Texts and scripts alternate, since the pattern captures the script. */
const partsOf = (template: string): ReadonlyArray<string> => template.split(SHELL)
const isText = (index: number): boolean => index % 2 === 0

export const hasPlaceholder = (template: string): boolean => new RegExp(PLACEHOLDER).test(template)

/** The prompt, with each script replaced by its output. */
export const joinOutputs = ({ texts }: FilledTemplate, outputs: ReadonlyArray<string>): string =>
  texts
    .map((text, index) => text + (outputs[index] ?? ""))
    .join("")
    .trim()
