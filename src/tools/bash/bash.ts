// Bash: receives a script, runs it in the emulated shell, and returns its outcome. Its changes are applied by the commit.
// Invariant: a script runs once, and its changes are applied as a whole or not at all, in the foreground and in the background.
import * as Effect from "effect/Effect"
import { BashInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { loadInterpreter } from "../../shell/interpreter.ts"
import { onlyEdits, onlyReads } from "../../shell/syntax/commands.ts"
import { pathsOf } from "../../shell/syntax/paths.ts"
import { readScript } from "../../shell/syntax/script.ts"
import type { Violations } from "../../shell/violations.ts"
import { makeTool } from "../make-tool.ts"
import { bashContent } from "../output-content.ts"
import { type ToolContext, ToolError, type ToolOutcome } from "../tool.ts"
import { beginInBackground, type Moved, type RunScript } from "./background-command.ts"
import type { ShownTask } from "./background-port.ts"
import { commandOutcome, failedOutcome } from "./command-outcome.ts"
import { changesDirectory } from "./directory.ts"
import { inForeground } from "./foreground-command.ts"
import { MAX_TIMEOUT_MS, runScript, timeoutOf } from "./run-script.ts"
import { ShownCommand } from "./shown-command.ts"
import { TimeLimit } from "./time-limit.ts"

/** A script that continues in the background. `task` is the one as which clients are shown it, if they are. */
interface MovedScript {
  readonly goesOn: RunScript
  readonly moved: Moved
  readonly task: ShownTask | undefined
}

const violationFacts = (toolUseId: string, { all }: Violations): Pick<ToolOutcome, "facts"> =>
  all.length === 0
    ? {}
    : { facts: [{ name: EventNames.sandboxViolated, payload: { tool_use_id: toolUseId, violations: all } }] }

const INTERRUPTED = "The command was interrupted before it ended; its changes were discarded."

const aborted = (): ToolError => new ToolError({ reason: "aborted", message: INTERRUPTED })

/** Runs the script until it ends, a client stops it, or it moves to the background: by a client, or at its time limit. */
const waitForScript = async (
  input: BashInput,
  context: ToolContext,
  signal: AbortSignal,
): Promise<{ readonly outcome: ToolOutcome } | MovedScript> => {
  const shown = new ShownCommand(input, context)
  const limit = new TimeLimit(shown.showTask)
  const start = (stop: AbortSignal) => runScript(input, context, { signal: stop, limit, print: shown.print })
  // Before the events that end an interrupted turn.
  signal.addEventListener("abort", () => shown.endTask("stopped"))
  try {
    const end = await inForeground(input.command, context, start, { limit, signal, taskId: () => shown.taskId })
    if (end.kind === "stopped") {
      shown.endTask("killed")
      // As the official SDK: a command that a client stopped has the exit code of a killed process.
      return { outcome: failedOutcome(137, `${shown.printed()}\n${INTERRUPTED}`.trim()) }
    }
    if (end.kind === "left") {
      limit.start(MAX_TIMEOUT_MS)
      const moved: Moved =
        end.why === "asked" ? { by: "client" } : { after: timeoutOf(input), printed: shown.printed() }
      return { goesOn: end.goesOn, moved, task: shown.releaseTask() }
    }
    const { ran, files, violations } = end.ended
    shown.endTask(ran.exitCode === 0 ? "completed" : "failed")
    const outcome = await commandOutcome(ran, input, timeoutOf(input), files, context)
    return { outcome: { ...outcome, ...violationFacts(context.toolUseId, violations) } }
  } finally {
    shown.close()
  }
}

const run = (input: BashInput, context: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
  Effect.suspend(() => {
    if (context.signal.aborted) return Effect.fail(aborted())
    if (input.run_in_background === true) {
      return beginInBackground(input, context, (signal) => runScript(input, context, { signal }))
    }
    return Effect.tryPromise({
      try: (signal) => waitForScript(input, context, signal),
      catch: () =>
        new ToolError({
          reason: "command_failed",
          message: "The shell failed on this script and stopped; its changes were discarded.",
        }),
    }).pipe(
      Effect.flatMap((end) => {
        if (context.signal.aborted) return Effect.fail(aborted())
        if ("outcome" in end) return Effect.succeed(end.outcome)
        return beginInBackground(input, context, end.goesOn, end.moved, end.task)
      }),
    )
  })

export const bashTool = makeTool(BashInput, {
  name: "Bash",
  description:
    "Runs a shell script on the workspace and shows its output. It is an emulated bash with the usual text and file " +
    "commands (ls, cat, grep, rg, sed, awk, jq, find, sort, diff, tr, xargs …); there are no other programs (no git, " +
    "python, node or package managers) and no network. The first call starts in the working directory, each later one where the last successful call ended, " +
    "unless that is outside the working directory.",
  load: loadInterpreter,
  readOnly: (input) => onlyReads(readScript(input.command)),
  // A call that starts a background command counts the running ones, and one that changes the directory affects the next
  // calls: both run alone.
  concurrent: (input) => {
    const script = readScript(input.command)
    return input.run_in_background !== true && onlyReads(script) && !changesDirectory(script)
  },
  edits: (input) => onlyEdits(readScript(input.command)),
  hasOutsideEffects: () => false,
  destructive: true,
  idempotent: false,
  paths: (input, cwd, root) => pathsOf(readScript(input.command), cwd, root),
  run,
  contentOf: bashContent,
})
