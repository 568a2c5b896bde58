// Receives the script of a Bash call; runs it in the emulated shell on an overlay of the workspace, and returns its outputs with
// the overlay.
// Invariant: the shell reaches nothing outside the workspace, except by `curl` where the session allows it; its work is
// bounded by counts, and it stops on abort.
import type { BashInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import { ShellBudget } from "../../shell/budget.ts"
import { umaskOf } from "../../shell/compat/builtins/umask.ts"
import { PrintOrder } from "../../shell/compat/print-order.ts"
import { rewritePlugin, rewriteScript } from "../../shell/compat/rewrite.ts"
import { guardedBash } from "../../shell/dispatch.ts"
import { ShellFiles } from "../../shell/files.ts"
import { readable } from "../../shell/raw-bytes.ts"
import { withRefusals } from "../../shell/refusals.ts"
import { ShellSession } from "../../shell/session.ts"
import { withoutGaps } from "../../shell/syntax/parser-gaps.ts"
import { Violations } from "../../shell/violations.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { ToolContext } from "../tool.ts"
import { type Ran, trimNewlines, withoutAbort } from "./command-outcome.ts"
import { shellFetch } from "./network.ts"
import { SHELL_PROGRAMS } from "./shell-programs.ts"
import { TimeLimit } from "./time-limit.ts"

export const DEFAULT_TIMEOUT_MS = 120_000
export const MAX_TIMEOUT_MS = 600_000
const MEBIBYTE = 1 << 20

/**
 * The limits are counts, not times, because the clock may not advance while a script computes. gzip needs 64 MiB for
 * archives and output.
 */
const LIMITS = {
  // The work budget ends a script before it has run so many commands.
  maxCommandCount: 50_000,
  maxLoopIterations: 200_000,
  maxAwkIterations: 100_000,
  maxGlobOperations: 200_000,
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
  maxBraceExpansionResults: 100_000,
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

/** As the official SDK: hooks and users see a time of zero or less, which is that of a call without one. */
export const timeoutOf = ({ timeout = 0, run_in_background: background }: BashInput): number =>
  timeout > 0 ? Math.min(timeout, MAX_TIMEOUT_MS) : background === true ? MAX_TIMEOUT_MS : DEFAULT_TIMEOUT_MS

/** Runs the script on an overlay of its own, until its time limit or until `signal` aborts. `print` receives what it prints. */
export const runScript = async (
  input: BashInput,
  context: ToolContext,
  {
    signal,
    limit = new TimeLimit(),
    print,
  }: {
    readonly signal: AbortSignal
    readonly limit?: TimeLimit
    readonly print?: (text: string) => void
  },
) => {
  const budget = new ShellBudget(AbortSignal.any([signal, limit.signal]))
  const files = new ShellFiles(context.workspace, context.root, context.files, budget)
  const violations = new Violations()
  const order = new PrintOrder(print)
  const ran = await interpret(input, context, { files, budget, limit, violations, order })
  for (const refusal of files.refusals()) violations.add(`file: ${refusal}`)
  const stderr = withRefusals(ran.stderr, files)
  const { printed, ...others } = ran
  return {
    ran: { ...others, stderr, ...(printed === undefined || stderr !== ran.stderr ? {} : { printed }) },
    files,
    violations,
  }
}

interface Shell {
  readonly files: ShellFiles
  readonly budget: ShellBudget
  readonly limit: TimeLimit
  readonly violations: Violations
  readonly order: PrintOrder
}

const interpret = async (
  input: BashInput,
  context: ToolContext,
  { files, budget, limit, violations, order }: Shell,
): Promise<Ran> => {
  const { cwd, root, rules, shellNetwork, shellEnv } = context
  const session = new ShellSession()
  files.umask = () => umaskOf(session.running)
  const fetch = shellNetwork ? shellFetch(context, budget.signal, violations) : undefined
  limit.start(timeoutOf(input))
  try {
    const bash = guardedBash(
      {
        fs: files,
        cwd,
        env: { ...VARIABLES, ...shellEnv, HOME: root, USER: "user", TMPDIR: "/tmp" },
        executionLimits: LIMITS,
        ...(fetch === undefined ? {} : { fetch: (...request) => session.threads.response(fetch(...request)) }),
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
        files,
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
