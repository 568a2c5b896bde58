// Receives the outcome of an event's hooks; returns it with contexts and messages of at most 10,000 characters each. A longer
// one is saved in the directory of saved results, and its beginning and the file's path replace it, as in the official SDK.
// Invariant: the same event saves to the same files, also after a restart.
import type { HookOutcome } from "../../hooks/outcome.ts"
import { resultPath, savedText } from "../../shell/overflow.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { Turn } from "../ports.ts"

/** The most characters of a hook's context or message, as in the official SDK. */
export const MAX_HOOK_TEXT = 10_000

/** `id` names the event in its session. */
export const withShortTexts = (turn: Turn, id: string, outcome: HookOutcome): HookOutcome => {
  const { contexts, systemMessages } = outcome
  if (!contexts.some(isLong) && !systemMessages.some(isLong)) return outcome
  const shortened = (kind: string) => (text: string, index: number) =>
    isLong(text) ? saved(turn, `hook-${kind}-${index}-${id}`, text) : text
  return {
    ...outcome,
    contexts: contexts.map(shortened("context")),
    systemMessages: systemMessages.map(shortened("message")),
  }
}

const isLong = (text: string): boolean => text.length > MAX_HOOK_TEXT

const saved = ({ workspace, root }: Turn, name: string, text: string): string => {
  const path = resultPath(root, name, ".txt")
  const bytes = new TextEncoder().encode(text)
  try {
    workspace.writeOwn(path, bytes)
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    const missing = text.length - MAX_HOOK_TEXT
    return `${text.slice(0, MAX_HOOK_TEXT)}\n(Cut here: ${missing} more characters, for which the workspace has no room.)`
  }
  return savedText(text, bytes.length, path)
}
