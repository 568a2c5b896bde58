// Receives a script that ended; returns the outcome of its call. As in the official SDK, `stdout` has both outputs in the order
// of printing, and `stderr` only what Perch adds; blank lines before the output and blanks after it are removed.
// Invariant: no output is lost, unless the workspace has no room for it.
import type { BashInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import type { BashOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import type { ShellFiles } from "../../shell/files.ts"
import { cutOutput, MAX_OUTPUT_CHARACTERS, showOutput } from "../../shell/overflow.ts"
import { printsNothing } from "../../shell/syntax/commands.ts"
import { readScript } from "../../shell/syntax/script.ts"
import { nextDirectory } from "./directory.ts"
import { meaningOf } from "./exit-meaning.ts"
import { printedImage } from "./printed-image.ts"
import { shownFiles } from "./shown-files.ts"
import type { ShownFile } from "../known-files.ts"
import { errorOutcome, type ToolContext, type ToolOutcome } from "../tool.ts"

/** A script that ended, with its outputs as they were printed. */
export interface Ran {
  readonly stdout: string
  readonly stderr: string
  /** stdout and stderr in the order in which they were printed, when that is known. */
  readonly printed?: string
  readonly exitCode: number
  readonly timedOut: boolean
  /** The directory in which the script ended; null when it is not known. */
  readonly directory: string | null
}

/** Removes the newlines at the end. No expression repeats over a text here: one with millions of newlines would overflow. */
export const trimNewlines = (text: string): string => {
  let end = text.length
  while (text[end - 1] === "\n") end -= 1
  return text.slice(0, end)
}

const joined = (...texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join("\n")

/** Removes the messages of commands that the time limit or the budget stopped. */
export const withoutAbort = (text: string): string => text.replace(/^bash: .*\b(?:aborted|context revoked)$\n?/gm, "")

/** Removes the blank lines before an output. */
export const withoutBlankStart = (text: string): string => {
  const start = text.search(/\S/)
  return text.slice(text.lastIndexOf("\n", start === -1 ? text.length : start) + 1)
}

/** Both outputs of a script as a terminal would show them, without blanks after them. */
export const printedBy = ({ printed, stdout, stderr }: Pick<Ran, "printed" | "stdout" | "stderr">): string =>
  (printed ?? joined(trimNewlines(stdout), stderr)).trimEnd()

/** `status` is the exit code, with the reason if the command did not exit by itself. */
export const failedOutcome = (status: string | number, text: string): ToolOutcome => {
  const head = `Exit code ${status}`
  return errorOutcome(text === "" ? head : `${head}\n${text}`)
}

/** `timeout` is the script's time limit in milliseconds. */
export const commandOutcome = async (
  ran: Ran,
  input: BashInput,
  timeout: number,
  overlay: ShellFiles,
  context: ToolContext,
): Promise<ToolOutcome> => {
  const meaning = ran.timedOut || ran.exitCode === 0 ? undefined : meaningOf(input.command, ran.exitCode)
  const failed = ran.timedOut || (ran.exitCode !== 0 && meaning === undefined)
  const { cwd, note = "" } = await nextDirectory(failed ? null : (ran.directory ?? context.cwd), overlay, context)
  const both = printedBy(ran)
  const printed = failed ? (ran.timedOut ? withoutAbort(both).trimEnd() : both) : withoutBlankStart(both)
  const { text, saved } = showOutput(
    joined(printed, note),
    overlay,
    context.root,
    context.toolUseId,
    failed || note !== "" ? undefined : ran.printed,
  )
  const applied = {
    ...(overlay.changes().length === 0 ? {} : { commit: () => overlay.flush() }),
    ...(cwd === undefined ? {} : { cwd }),
  }
  if (failed) {
    const status = ran.timedOut ? `143\nCommand timed out after ${Math.floor(timeout / 1000)}s` : ran.exitCode
    return { ...failedOutcome(status, text), ...applied }
  }
  const image = printedImage(printed)
  if (image !== null && "why" in image) {
    const content = `The command printed a data URI of an image that can't be shown: ${image.why}.`
    return { ...errorOutcome(content), ...applied }
  }
  const script = readScript(input.command)
  // A script that changed files may have shown what is no longer in them; of a long output, the model sees only the beginning.
  const isShown = ran.exitCode === 0 && overlay.changes().length === 0 && saved === undefined
  const files = isShown ? shownFiles(script, ran.stdout, context) : []
  // Of an output that is saved, clients get the beginning alone.
  const beginning = saved === undefined ? cutOutput(printed) : printed.slice(0, MAX_OUTPUT_CHARACTERS).trimEnd()
  const output: BashOutput & { readonly shownFiles?: ReadonlyArray<ShownFile> } = {
    stdout: image === null ? beginning : printed,
    stderr: note,
    interrupted: false,
    isImage: image !== null,
    ...(meaning === undefined ? {} : { returnCodeInterpretation: meaning }),
    noOutputExpected: printsNothing(script),
    ...saved,
    ...(files.length === 0 ? {} : { shownFiles: files }),
    ...(input.dangerouslyDisableSandbox === true ? { dangerouslyDisableSandbox: true } : {}),
  }
  const shown = text === "" ? "(The command printed no output.)" : text
  return {
    content: image === null ? shown : [image.block],
    output,
    ...(image === null ? { isError: false } : {}),
    ...applied,
  }
}
