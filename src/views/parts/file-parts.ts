// Receives the events about files that a step or the turn has changed; adds the parts that show them to the main thread's last
// answer.
// Invariant: a step that changed no file gets no snapshot part; the turn's changes are also in its prompt's summary.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { PartFileDiff, Part } from "../../schemas/parts.ts"
import { shortened } from "../../schemas/shortened.ts"
import { type OpenMessage, textOf } from "./turn-messages.ts"
import type { TurnState } from "./turn-state.ts"

/** Adds the snapshot of a step that has changed files. */
export const addSnapshot = (state: TurnState, event: LogEvent<"snapshot:taken">): void => {
  const { before, snapshot, diffs } = event.payload
  const { messages } = state
  state.snapshot = snapshot
  const message = messages.lastAnswer()
  if (message === undefined) return
  for (const [index, { part }] of message.parts.entries()) {
    const known = withSnapshots(part, before, snapshot, diffs)
    if (known !== part) messages.replace(event, message, index, known)
  }
  messages.push(event, message, { ...messages.base(event, message), type: "snapshot", snapshot })
}

const withSnapshots = (
  part: Part,
  before: string,
  snapshot: string,
  precomputedDiff: ReadonlyArray<PartFileDiff>,
): Part => {
  if (part.type === "step-start") return { ...part, snapshot: before }
  return part.type === "step-finish" ? { ...part, snapshot, precomputedDiff } : part
}

/** Adds the patch of a turn that has changed files. If the model never answered, it becomes a part of the prompt's message. */
export const addPatch = (state: TurnState, event: LogEvent<"turn:patched">, prompt: OpenMessage): void => {
  const { hash, files, diffs } = event.payload
  const { messages } = state
  const message = messages.lastAnswer() ?? prompt
  messages.push(event, message, { ...messages.base(event, message), type: "patch", hash, files })
  const { info } = prompt
  if (info.role !== "user") return
  messages.setInfo(event, prompt, { ...info, summary: { ...titleOf(prompt), diffs } })
}

/** The title of a message in lists: the first line that the user wrote, shortened to 100 characters. */
const titleOf = (prompt: OpenMessage): { readonly title?: string } => {
  const line = textOf(prompt)
    .split("\n")
    .find((one) => one.trim() !== "")
  return line === undefined ? {} : { title: shortened(line.trim(), 100).toWellFormed() }
}
