// Receives a call that may not run; returns the error text that the model receives.
import type { JudgedCall } from "./decide.ts"
import { shortened } from "../schemas/shortened.ts"

const MAX_COMMAND = 1000

const shown = (command: string): string => shortened(command, MAX_COMMAND)

/** The text for a call that a deny rule denies. */
export const deniedText = ({ toolName, command, paths }: JudgedCall): string => {
  if (command !== undefined)
    return `Using ${toolName} with the command ${shown(command)} is denied by a permission rule.`
  const [path] = paths
  return `Using ${toolName}${path === undefined ? "" : ` on ${path}`} is denied by a permission rule.`
}

/** The text for a change of a file that may not be read. */
export const UNREADABLE_PATH_TEXT = "The permission settings deny reading the file, so it can't be changed either."

/** The text for a call that a path rule denies before anything else is checked. */
export const DENIED_PATH_TEXT = "The file is in a directory that the permission settings deny."

/** The text for `dontAsk` mode, which denies every call that would be asked about. */
export const dontAskText = ({ toolName }: JudgedCall): string =>
  `Using ${toolName} needs permission, and in dontAsk mode such calls are denied without asking.`

export const planText = ({ toolName, paths, command }: JudgedCall): string => {
  const [path] = paths
  if (command !== undefined) return "This command may change something, and plan mode only reads."
  return path === undefined
    ? `${toolName} may change something, and plan mode only reads.`
    : `${path} can't be written while in plan mode.`
}

/** The text for a call that needs an answer when no client can be asked. */
export const unansweredText = ({ toolName, paths, command, edits, readOnly }: JudgedCall): string => {
  const [path] = paths
  if (command !== undefined) return "This command needs approval, but no client was connected to give it."
  if (path === undefined) return `Permission to use ${toolName} was requested, but not granted.`
  const action = edits ? "write to" : readOnly ? "read" : `use ${toolName} on`
  return `Permission to ${action} ${path} was requested, but not granted.`
}
