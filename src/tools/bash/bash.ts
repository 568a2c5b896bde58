// Bash: receives a script; it runs in an emulated shell on an overlay of the workspace, and its changes are applied by the commit.
// Invariant: the shell reaches nothing outside the workspace, except by `curl` where the session allows it; its work is
// bounded by counts, and it stops on abort.
import * as Effect from "effect/Effect"
import { BashInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import { beginInBackground } from "./background-command.ts"
import { commandOutcome, failedOutcome, type Ran, trimNewlines, withoutAbort } from "./command-outcome.ts"
import { inForeground } from "./foreground-command.ts"
import type { ShownTask } from "./background-port.ts"
import { LiveOutput } from "./live-output.ts"
import { PrintedSoFar } from "./printed-so-far.ts"
import { TimeLimit } from "./time-limit.ts"
import { makeTool } from "../make-tool.ts"
import { bashContent } from "../output-content.ts"
import { ShellBudget } from "../../shell/budget.ts"
import { onlyEdits, onlyReads } from "../../shell/syntax/commands.ts"
import { changesDirectory } from "./directory.ts"
import { guardedBash } from "../../shell/dispatch.ts"
import { loadInterpreter } from "../../shell/interpreter.ts"
import { withoutGaps } from "../../shell/syntax/parser-gaps.ts"
import { pathsOf } from "../../shell/syntax/paths.ts"
import { Violations } from "../../shell/violations.ts"
import { ShellFiles } from "../../shell/files.ts"
import { withRefusals } from "../../shell/refusals.ts"
import { rewritePlugin, rewriteScript } from "../../shell/compat/rewrite.ts"
import { PrintOrder } from "../../shell/compat/print-order.ts"
import { readScript } from "../../shell/syntax/script.ts"
import { readable } from "../../shell/raw-bytes.ts"
import { ShellSession } from "../../shell/session.ts"
import { umaskOf } from "../../shell/compat/builtins/umask.ts"
import { SHELL_PROGRAMS } from "./shell-programs.ts"
import { shellFetch } from "./network.ts"
import { type ToolContext, ToolError, type ToolOutcome } from "../tool.ts"

export const DEFAULT_TIMEOUT_MS = 120_000
export const MAX_TIMEOUT_MS = 600_000
const MEBIBYTE = 1 << 20

/**
 * The limits are counts, not times, because the clock may not advance while a script computes. gzip needs 64 MiB for
 * archives and output.
 */
const LIMITS = {
  maxCommandCount: 10_000,
  maxLoopIterations: 200_000,
  maxAwkIterations: 100_000,
  maxGlobOperations: 45_000,
  maxSedIterations: 15_000,
  maxJqIterations: 100_000,
  maxSourceBytes: 4 * MEBIBYTE,
  maxStringLength: 32 * MEBIBYTE,
  maxHeredocSize: 32 * MEBIBYTE,
  maxInputBytes: 256 * MEBIBYTE,
  maxLiveBytes: 64 * MEBIBYTE,
  maxOutputSize: 64 * MEBIBYTE,
  maxArchiveBytes: 64 * MEBIBYTE,
  maxArchiveEntryBytes: 32 * MEBIBYTE,
  maxTraversalEntries: 100_000,
  maxBraceExpansionResults: 10_000,
  maxArrayElements: 100_000,
  // How long the handlers of `trap` may run after `timeout` has stopped their shell.
  maxExtensionCleanupTimeMs: 5_000,
}

/** As in the official SDK. */
const VARIABLES = {
  SHELL: "/bin/bash",
  SHLVL: "1",
  TERM: "dumb",
  LANG: "C.UTF-8",
  CLAUDECODE: "1",
}

/** As the official SDK: hooks and users see a time of zero or less, which is that of a call without one. */
const timeoutOf = ({ timeout = 0, run_in_background: background }: BashInput): number =>
  timeout > 0 ? timeout : background === true ? MAX_TIMEOUT_MS : DEFAULT_TIMEOUT_MS

const TOO_MUCH =
  "bash: stopped: the script did too much work for one call: too many commands or too much copying " +
  "(is there an endless loop?)\n"

/** Matches the error of a redirection that the workspace refuses; it gets `bash: ` as its prefix. */
const REFUSED = /^(?=E(?:ACCES|FBIG|DQUOT|NOTDIR|ISDIR|INVAL|LOOP|NOENT): [^\n]*\n?$(?![\s\S]))/m

/** The shell's two messages for a program that is missing; both become the first. */
const MISSING = /^(bash: (?:line \d+: )?)(\S+): command not (?:found|available in browser environments)[^\n]*$/gm

const explainMissing = (stderr: string): string => {
  const missing = new Set(Array.from(stderr.matchAll(MISSING), (match) => match[2] ?? ""))
  const explained = stderr.replace(REFUSED, "bash: ").replace(MISSING, "$1$2: command not found")
  if (missing.size === 0) return explained
  const names = Array.from(missing).slice(0, 10).join(", ")
  return (
    `${trimNewlines(explained)}\n(${names}: not available here. This shell has its own text and file commands, such as grep, sed, ` +
    "awk, jq, find and diff; it starts no programs, and has no network unless the session allows curl.)\n"
  )
}

interface Run {
  readonly files: ShellFiles
  readonly budget: ShellBudget
  readonly limit: TimeLimit
  readonly violations: Violations
  /** Receives what the script prints, while it runs. */
  readonly print?: (text: string) => void
}

const runScript = async (
  input: BashInput,
  { files, budget, limit, violations, print }: Run,
  context: ToolContext,
): Promise<Ran> => {
  const { cwd, root, rules, shellNetwork, shellEnv } = context
  const session = new ShellSession()
  files.umask = () => umaskOf(session.running)
  const order = new PrintOrder(print)
  limit.start(timeoutOf(input))
  try {
    const bash = guardedBash(
      {
        fs: files,
        cwd,
        env: { ...VARIABLES, ...shellEnv, HOME: root, USER: "user", TMPDIR: "/tmp" },
        executionLimits: LIMITS,
        ...(shellNetwork ? { fetch: shellFetch(context, budget.signal, violations) } : {}),
        customCommands: [...SHELL_PROGRAMS, ...session.programs],
      },
      {
        refuse: rules.command,
        root,
        order,
        violations,
        budget,
        session,
        outputs: files.outputs,
        collected: files.collected,
        openTo: (run) => files.openTo(run),
        rewrite: rewriteScript(budget, session),
      },
    )
    bash.registerTransformPlugin(rewritePlugin(budget, session))
    const result = await bash.exec(withoutGaps(input.command), { rawScript: true, signal: budget.signal })
    const stderr = explainMissing(budget.exhausted ? `${withoutAbort(result.stderr)}${TOO_MUCH}` : result.stderr)
    const printed = order.of(result.stdout, stderr)
    return {
      stdout: readable(result.stdout),
      stderr: trimNewlines(readable(stderr)),
      ...(printed === null ? {} : { printed: readable(printed) }),
      exitCode: budget.exhausted ? 126 : result.exitCode,
      timedOut: limit.signal.aborted,
      directory: result.env["PWD"] ?? null,
    }
  } catch (error) {
    // A redirection that the workspace refuses ends the script; commands report such errors themselves.
    if (!(error instanceof WorkspaceError)) throw error
    const stderr = `bash: ${error.message}\n(The script stopped here; its output is lost.)`
    return { stdout: "", stderr, exitCode: 1, timedOut: false, directory: null }
  } finally {
    limit.end()
  }
}

/** Runs the script on an overlay of its own, until its time limit or until `signal` aborts. */
const runWithin = async (
  input: BashInput,
  context: ToolContext,
  signal: AbortSignal,
  limit = new TimeLimit(),
  print?: (text: string) => void,
) => {
  const budget = new ShellBudget(AbortSignal.any([signal, limit.signal]))
  const files = new ShellFiles(context.workspace, context.root, context.files, budget)
  const violations = new Violations()
  const ran = await runScript(
    input,
    { files, budget, limit, violations, ...(print === undefined ? {} : { print }) },
    context,
  )
  for (const refusal of files.refusals()) violations.add(`file: ${refusal}`)
  const stderr = withRefusals(ran.stderr, files)
  const { printed, ...others } = ran
  return {
    ran: { ...others, stderr, ...(printed === undefined || stderr !== ran.stderr ? {} : { printed }) },
    files,
    violations,
  }
}

const violationFacts = (toolUseId: string, { all }: Violations): Pick<ToolOutcome, "facts"> =>
  all.length === 0
    ? {}
    : { facts: [{ name: EventNames.sandboxViolated, payload: { tool_use_id: toolUseId, violations: all } }] }

const INTERRUPTED = "The command was interrupted before it ended; its changes were discarded."

const aborted = (): ToolError => new ToolError({ reason: "aborted", message: INTERRUPTED })

const run = (input: BashInput, context: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
  Effect.suspend(() => {
    if (context.signal.aborted) return Effect.fail(aborted())
    if (input.run_in_background === true) {
      return beginInBackground(input, context, (signal) => runWithin(input, context, signal))
    }
    const { showPrinted: show } = context
    let live = show === undefined ? undefined : new LiveOutput(show)
    const soFar = new PrintedSoFar()
    const print = (text: string) => {
      live?.print(text)
      soFar.add(text)
    }
    let shown: ShownTask | undefined
    const showEnd = (status: Parameters<ShownTask["end"]>[0]) => {
      shown?.end(status)
      shown = undefined
    }
    const limit = new TimeLimit(() => {
      shown = context.showTask?.(input.description ?? input.command)
    })
    const begun = (signal: AbortSignal) => runWithin(input, context, signal, limit, print)
    return Effect.tryPromise({
      try: async (signal) => {
        // Before the events that end an interrupted turn.
        signal.addEventListener("abort", () => showEnd("stopped"))
        try {
          const taskId = () => shown?.id
          const end = await inForeground(input.command, context, begun, { limit, signal, taskId })
          // As the official SDK: a command that a client stopped has the exit code of a killed process.
          if (end.kind === "stopped") {
            showEnd("killed")
            return { kind: "ended" as const, outcome: failedOutcome(137, `${soFar.text()}\n${INTERRUPTED}`.trim()) }
          }
          if (end.kind === "left") {
            // The task continues with its command.
            const task = shown
            shown = undefined
            return { ...end, task }
          }
          const { ran, files, violations } = end.ended
          showEnd(ran.exitCode === 0 ? "completed" : "failed")
          const facts = violationFacts(context.toolUseId, violations)
          const outcome = await commandOutcome(ran, input, timeoutOf(input), files, context)
          return { kind: "ended" as const, outcome: { ...outcome, ...facts } }
        } finally {
          showEnd("failed")
          live?.end()
          // What a script prints in the background is in its file.
          live = undefined
        }
      },
      catch: () =>
        new ToolError({
          reason: "command_failed",
          message: "The shell failed on this script and stopped; its changes were discarded.",
        }),
    }).pipe(
      Effect.flatMap((end) => {
        if (context.signal.aborted) return Effect.fail(aborted())
        if (end.kind === "ended") return Effect.succeed(end.outcome)
        limit.start(MAX_TIMEOUT_MS)
        const moved =
          end.why === "asked" ? { by: "client" as const } : { after: timeoutOf(input), printed: soFar.text() }
        return beginInBackground(input, context, end.goesOn, moved, end.task)
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
