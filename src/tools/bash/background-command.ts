// Receives a Bash call that runs in the background; returns its outcome, whose commit starts the background task.
// Invariant: the command works on an overlay of its own; its changes and its output are applied together.
import * as Effect from "effect/Effect"
import type { BashInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import type { BashOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { CommitRefused, type GuardedOverlay } from "../../workspace/tree/guarded-overlay.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { type BackgroundEnd, type BackgroundTask, MAX_BACKGROUND_TASKS } from "./background-port.ts"
import { changesDirectory } from "./directory.ts"
import { readScript } from "../../shell/syntax/script.ts"
import { type ToolContext, ToolError, type ToolOutcome } from "../tool.ts"

/** The outcome of a script that ended. */
interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly timedOut: boolean
}

/** Runs the script on an overlay of its own. */
export type RunScript = (signal: AbortSignal) => Promise<{ readonly ran: Ran; readonly files: GuardedOverlay }>

/** The most bytes of output in the file; the rest is cut off. */
const MAX_OUTPUT_BYTES = 8 << 20

export const beginInBackground = (
  input: BashInput,
  context: ToolContext,
  run: RunScript,
): Effect.Effect<ToolOutcome, ToolError> => {
  const { background, workspace, cwd, toolUseId } = context
  const { command, description = command } = input
  const work = async (task: BackgroundTask, signal: AbortSignal): Promise<BackgroundEnd> => {
    const { ran, files } = await run(signal)
    const commit = () => {
      const refused = apply(workspace, files)
      saveOutput(
        workspace,
        task.output_file,
        outputOf(refused === null ? ran : { ...ran, stderr: refused, exitCode: 1 }),
      )
    }
    return { exitCode: ran.exitCode, timedOut: ran.timedOut, commit }
  }
  const begun = background?.begin({ toolUseId, description, command }, work) ?? null
  if (begun === null) {
    const message =
      background === undefined
        ? "Commands can't run in the background here."
        : `${MAX_BACKGROUND_TASKS} commands are already running in the background. Wait for one to end, or stop one with TaskStop.`
    return Effect.fail(new ToolError({ reason: "command_failed", message }))
  }
  const { task, facts, commit } = begun
  const hint = changesDirectory(readScript(command))
    ? `The working directory remains ${cwd}, even if the command changes its own.`
    : null
  const output: BashOutput = {
    stdout: "",
    stderr: "",
    interrupted: false,
    isImage: false,
    noOutputExpected: false,
    backgroundTaskId: task.task_id,
    ...(hint === null ? {} : { backgroundCwdHint: hint }),
  }
  const text =
    `The command runs in the background with ID: ${task.task_id}. You are notified when it ends; its output will then ` +
    `be in: ${task.output_file}`
  return Effect.succeed({
    content: hint === null ? text : `${text}\n${hint}`,
    output,
    isError: false,
    facts,
    commit,
  })
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

const outputOf = ({ stdout, stderr, ...ran }: Ran): Uint8Array => {
  const printed = Buffer.from([stdout, stderr].filter((text) => text !== "").join("\n"), "utf8")
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
