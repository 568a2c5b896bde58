// Receives a script that ended without an error, and what it printed; returns the files whose content it showed. As in the official
// SDK, such a file counts as read: it may be edited without Read.
// Invariant: a file is only returned if lines of it are in the output, and with the hash of its content at that moment.
import { isText, textOf } from "../../workspace/file-text.ts"
import { normalizePath } from "../../workspace/paths.ts"
import type { ShellCommand, ShellScript } from "../../shell/shell-command.ts"
import { isFile } from "../files/file-access.ts"
import { type ShownFile, shownFile } from "../known-files.ts"
import type { ToolContext } from "../tool.ts"

/** Larger files are not compared with the output. */
const MAX_BYTES = 256 * 1024
const MAX_FILES = 20

/** Patterns of the arguments with which a command prints lines of one file, joined by newlines; the first group is the file. */
const PRINTERS: Readonly<Record<string, RegExp>> = {
  cat: /^(?:-n\n)?([^-\n].*)$/,
  nl: /^([^-\n].*)$/,
  head: /^(?:-n\n?\d+\n|-\d+\n)?([^-\n].*)$/,
  tail: /^(?:-n\n?\d+\n|-\d+\n)?([^-\n].*)$/,
  sed: /^-n(?:e\n|\n-e\n|\n)\d+(?:,(?:\d+|\$))?p\n([^-\n].*)$/,
  grep: /^(?:-[niEFwx]+\n)*[^-\n].*\n([^-\n].*)$/,
  egrep: /^(?:-[niwx]+\n)*[^-\n].*\n([^-\n].*)$/,
  rg: /^(?:-[niFwx]+\n)*[^-\n].*\n([^-\n].*)$/,
}

const printedFile = ({ name, args, from, to, places }: ShellCommand): string | null => {
  if (name === null || !Object.hasOwn(PRINTERS, name) || from.length + to.length > 0) return null
  if (args.some((arg) => arg === null || arg.includes("\n")) || places.join() !== ".") return null
  const file = PRINTERS[name]?.exec(args.join("\n"))?.[1]
  return file === undefined || file.startsWith("~") ? null : file
}

/** The lines of an output, with and without the numbers that some commands put before them. */
const printedLines = (stdout: string): ReadonlySet<string> => {
  const lines = stdout.split("\n").map((line) => line.trimEnd())
  return new Set([...lines, ...lines.map((line) => line.replace(/^ *\d+[:\t]/, ""))])
}

export const shownFiles = (
  script: ShellScript,
  stdout: string,
  { workspace, cwd }: ToolContext,
): ReadonlyArray<ShownFile> => {
  if (!script.plain || script.shape.piped || script.shape.background) return []
  const files = new Set(script.commands.flatMap((command) => printedFile(command) ?? []))
  if (files.size === 0 || files.size > MAX_FILES) return []
  const printed = printedLines(stdout)
  return Array.from(files).flatMap((file) => {
    const path = normalizePath(file, cwd)
    if (!isFile(workspace, path) || workspace.stat(path).size > MAX_BYTES) return []
    const bytes = workspace.readBytes(path)
    if (!isText(bytes)) return []
    const text = textOf(bytes)
    const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trimEnd()]))
    const seen = lines.filter((line) => printed.has(line)).length
    return seen === 0 ? [] : [shownFile(path, text, seen === lines.length)]
  })
}
