// Receives the outcome of a call; returns it with texts that are short enough for a request. Longer ones are saved as a file
// in the directory of saved results, and the model is shown their beginning and the file's path, as by the official SDK.
// Invariant: nothing of a text is lost, unless the workspace has no room for it; the result then says how much is missing.
import { resultPath, savedText } from "../shell/overflow.ts"
import { CommitRefused } from "../workspace/tree/guarded-overlay.ts"
import { WorkspaceError } from "../workspace/workspace-error.ts"
import type { ToolContext, ToolOutcome, ToolResultBlock } from "./tool.ts"

/** The most characters of all texts of a result together, as in the official SDK. Bash and Read have limits of their own. */
const MAX_RESULT_CHARACTERS = 50_000
const OWN_LIMITS: ReadonlySet<string> = new Set(["Bash", "Read"])

export const keepWhole = (tool: string, context: ToolContext, outcome: ToolOutcome): ToolOutcome => {
  const { content } = outcome
  if (OWN_LIMITS.has(tool) || sizeOf(content) <= MAX_RESULT_CHARACTERS) return outcome
  const text = typeof content === "string" ? content : content.flatMap(textsOf).join("\n")
  const path = resultPath(context.root, context.toolUseId, ".txt")
  const bytes = Buffer.from(text, "utf8")
  const saved = canSave(context, path, bytes)
  const shown = saved ? savedText(text, bytes.length, path) : cut(text)
  const others = typeof content === "string" ? [] : content.filter(({ type }) => type !== "text")
  const kept = others.length === 0 ? shown : [{ type: "text" as const, text: shown }, ...others]
  return {
    ...outcome,
    content: kept,
    // When a tool's output is just its content, clients are shown the same as the model.
    output: outcome.output === content ? kept : outcome.output,
    ...(saved ? { commit: (written) => save(context, path, bytes, () => outcome.commit?.(written)) } : {}),
  }
}

const sizeOf = (content: ToolOutcome["content"]): number =>
  typeof content === "string"
    ? content.length
    : content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0)

const textsOf = (block: ToolResultBlock): ReadonlyArray<string> => (block.type === "text" ? [block.text] : [])

const cut = (text: string): string =>
  `${text.slice(0, MAX_RESULT_CHARACTERS)}\n(Output cut here: ${text.length - MAX_RESULT_CHARACTERS} more characters.)`

const canSave = ({ workspace }: ToolContext, path: string, bytes: Uint8Array): boolean => {
  try {
    workspace.prepareWrite(path, bytes)
    return true
  } catch (error) {
    if (error instanceof WorkspaceError) return false
    throw error
  }
}

const save = ({ workspace }: ToolContext, path: string, bytes: Uint8Array, first: () => void): void => {
  first()
  try {
    workspace.writeOwn(path, bytes)
  } catch (error) {
    // Results that are committed together may not fit, although each does.
    if (error instanceof WorkspaceError) throw new CommitRefused(`The result could not be saved: ${error.message}`)
    throw error
  }
}
