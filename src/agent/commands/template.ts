// Receives a command's template and its arguments; returns the prompt, once its shell has run.
// Invariant: arguments and outputs are inserted as they are: nothing in them is a placeholder or a shell command again.

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

/** `$1` and so on is an argument, or nothing when there are fewer; `$ARGUMENTS` is all of them as they were written. */
export const fillTemplate = (template: string, args: string): FilledTemplate => {
  const values = argumentsOf(args)
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (_, key: string) => (key === "ARGUMENTS" ? args : (values[Number(key) - 1] ?? "")))
  // Texts and scripts alternate, since the pattern captures the script.
  const parts = template.split(SHELL).map(fill)
  return {
    texts: parts.filter((_, index) => index % 2 === 0),
    scripts: parts.filter((_, index) => index % 2 === 1),
  }
}

export const hasPlaceholder = (template: string): boolean => new RegExp(PLACEHOLDER).test(template)

/** The prompt: each output in its script's place. */
export const joinOutputs = ({ texts }: FilledTemplate, outputs: ReadonlyArray<string>): string =>
  texts
    .map((text, index) => text + (outputs[index] ?? ""))
    .join("")
    .trim()
