// Receives a command's template and its arguments; returns the prompt, once its shell has run.
// Invariant: arguments and outputs are inserted as they are: nothing in them is a placeholder or a shell command again. What
// is inserted is as long as a prompt may be, however often a text names its arguments.
import { TEXT_LIMIT } from "../../schemas/api/prompt-size.ts"

const ARGUMENT = /(?:\[Image\s+\d+\]|"[^"]*"|'[^']*'|[^\s"']+)/gi
const PLACEHOLDER = /\$(\d+|ARGUMENTS)/g
const SHELL = /!`([^`]+)`/g

/** The arguments of a call: words, quoted texts with their quotes, and marks of images. */
export const argumentsOf = (args: string): ReadonlyArray<string> => args.match(ARGUMENT) ?? []

/** A template whose placeholders are filled: texts, and between them the scripts whose outputs belong there. */
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
  fault: `The text names its arguments so often that it would be longer than ${TEXT_LIMIT} characters with them. Write them into a file of the workspace, and send its path.`,
}

/** How much may still be inserted into the texts of one template. */
export class Room {
  #left = TEXT_LIMIT

  /** The value, or nothing once the values together are too long. */
  take(value: string): string {
    this.#left -= value.length
    return this.#left < 0 ? "" : value
  }

  /** What was filled, or why it is not what it should be. */
  outcome(filled: FilledTemplate): FilledTemplate | TooLong {
    return this.#left < 0 ? TOO_LONG : filled
  }
}

/** `$1` and so on is an argument, or nothing when there are fewer; `$ARGUMENTS` is all of them as they were written. */
export const fillTemplate = (template: string, args: string): FilledTemplate | TooLong => {
  const values = argumentsOf(args)
  const room = new Room()
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (_, key: string) =>
      room.take(key === "ARGUMENTS" ? args : (values[Number(key) - 1] ?? "")),
    )
  const parts = partsOf(template).map(fill)
  return room.outcome({ texts: parts.filter(isText), scripts: parts.filter((_, index) => !isText(_, index)) })
}

/** True for a template that runs shell. */
export const hasScripts = (template: string): boolean => partsOf(template).length > 1

/** Texts and scripts alternate, since the pattern captures the script. */
const partsOf = (template: string): ReadonlyArray<string> => template.split(SHELL)
const isText = (_: string, index: number): boolean => index % 2 === 0

export const hasPlaceholder = (template: string): boolean => new RegExp(PLACEHOLDER).test(template)

/** The prompt: each output in its script's place. */
export const joinOutputs = ({ texts }: FilledTemplate, outputs: ReadonlyArray<string>): string =>
  texts
    .map((text, index) => text + (outputs[index] ?? ""))
    .join("")
    .trim()
