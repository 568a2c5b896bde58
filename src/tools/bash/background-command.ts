// Receives a Bash call that runs in the background; returns its outcome, whose commit starts the background task.
// Invariant: the command works on an overlay of its own; its changes and its output are applied together.
import * as Effect from "effect/Effect"
import type { BashInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import type { BashOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { CommitRefused, type GuardedOverlay } from "../../workspace/tree/guarded-overlay.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { type BackgroundEnd, type BackgroundTask, MAX_BACKGROUND_TASKS, type ShownTask } from "./background-port.ts"
import { printedBy, type Ran } from "./command-outcome.ts"
import { changesDirectory } from "./directory.ts"
import { printsNothing } from "../../shell/syntax/commands.ts"
import { readScript } from "../../shell/syntax/script.ts"
import { type ToolContext, ToolError, type ToolOutcome } from "../tool.ts"

/** Runs the script on an overlay of its own. */
export type RunScript = (signal: AbortSignal) => Promise<{ readonly ran: Ran; readonly files: GuardedOverlay }>

/** The most bytes of output in the file; the rest is cut off. */
const MAX_OUTPUT_BYTES = 8 << 20

/** Why a script that its turn waited for continues here: a client asked for that, or its time was over. */
export type Moved =
  | { readonly by: "client" }
  /** `after` is the script's time limit in milliseconds, `printed` what it had printed until then. */
  | { readonly after: number; readonly printed: string }

export const beginInBackground = (
  input: BashInput,
  context: ToolContext,
  run: RunScript,
  moved?: Moved,
  shown?: ShownTask,
): Effect.Effect<ToolOutcome, ToolError> => {
  const { agentId, background, workspace, cwd, toolUseId } = context
  const { command, description = command } = input
  const work = async (task: BackgroundTask, signal: AbortSignal): Promise<BackgroundEnd> => {
    const { ran, files } = await run(signal)
    const commit = () => {
      const refused = apply(workspace, files)
      saveOutput(
        workspace,
        task.output_file,
        outputOf(refused === null ? ran : { stdout: ran.stdout, stderr: refused, exitCode: 1, timedOut: ran.timedOut }),
      )
    }
    return { exitCode: ran.exitCode, timedOut: ran.timedOut, commit }
  }
  const begun = background?.begin({ toolUseId, description, command, shown, parent: agentId }, work) ?? null
  if (begun === null) {
    const message =
      background === undefined
        ? "Commands can't run in the background here."
        : `${MAX_BACKGROUND_TASKS} commands are already running in the background. Wait for one to end, or stop one with TaskStop.`
    return Effect.fail(new ToolError({ reason: "command_failed", message }))
  }
  const { task, facts, commit } = begun
  const script = readScript(command)
  const hint = changesDirectory(script)
    ? `The working directory remains ${cwd}, even if the command changes its own.`
    : null
  const atLimit = moved !== undefined && "after" in moved ? moved : null
  const output: BashOutput = {
    stdout: atLimit?.printed ?? "",
    stderr: "",
    interrupted: false,
    isImage: false,
    noOutputExpected: moved === undefined && printsNothing(script),
    backgroundTaskId: task.task_id,
    ...(atLimit === null ? {} : { timedOutAfterMs: atLimit.after }),
    ...(moved !== undefined && "by" in moved ? { backgroundedByUser: true } : {}),
    ...(hint === null ? {} : { backgroundCwdHint: hint }),
  }
  const content = [atLimit?.printed ?? "", beginning(task, moved), hint ?? ""].filter((line) => line !== "").join("\n")
  return Effect.succeed({ content, output, isError: false, facts, commit })
}

/** How the result of a call begins that continues in the background. */
const beginning = ({ task_id: id, output_file: file }: BackgroundTask, moved: Moved | undefined): string => {
  const end = `You are notified when it ends; its output will then be in: ${file}`
  if (moved === undefined) return `The command runs in the background with ID: ${id}. ${end}`
  if ("by" in moved) return `The user moved the command to the background, with ID: ${id}. ${end}`
  return (
    `The command did not end within ${Math.round(moved.after / 1000)}s and continues in the background with ID: ${id}. ${end}\n` +
    "It is running now: do not start it again. TaskStop stops it if it is no longer needed."
  )
}

/** Applies what the command changed; returns why that was refused, or null. */
const apply = (workspace: Workspace, files: GuardedOverlay): string | null => {
  try {
    workspace.applyWithin(files.committed())
    return null
  } catch (error) {
    if (error instanceof CommitRefused) return error.message
    throw error
  }
}

const outputOf = (ran: Omit<Ran, "directory">): Uint8Array => {
  const printed = Buffer.from(printedBy(ran), "utf8")
  const cut = printed.length > MAX_OUTPUT_BYTES ? "\n[output cut here]" : ""
  const end = ran.timedOut ? "stopped at its time limit" : `exit code ${ran.exitCode}`
  // A copy: a Buffer may be a part of a larger one.
  return new Uint8Array(
    Buffer.concat([printed.subarray(0, MAX_OUTPUT_BYTES), Buffer.from(`${cut}\n[${end}]\n`, "utf8")]),
  )
}

/** Writes the output's file. Without room for it the command's changes are kept all the same. */
const saveOutput = (workspace: Workspace, path: string, bytes: Uint8Array): void => {
  try {
    workspace.writeOwn(path, bytes)
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
  }
}
