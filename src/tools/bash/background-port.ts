// What tools need of the session to let a command go on after its call: begin it, look at it, wait for it, end it.
// Invariant: a command begins only once its start is logged, and its end is reported once: with what it changed, or as lost.
import type { LogEvent, NewEvent } from "../../schemas/log/events.ts"

/** A command that goes on after its call. Times are milliseconds since 1970. */
export interface BackgroundTask {
  readonly task_id: string
  readonly run_id: string
  readonly tool_use_id: string
  readonly description: string
  /** Cut where it is long. */
  readonly command: string
  readonly output_file: string
  readonly started_at: number
  /** It is the run of a subagent of this type: the task's id is the agent's. */
  readonly agent?: string
}

/** How the run of a subagent ended. */
export interface BackgroundReport {
  readonly status: "completed" | "limited" | "failed" | "stopped"
  readonly report: string
}

/** How a command ended by itself, or at its time limit. `commit` applies what it changed, its output file included. */
export interface BackgroundEnd {
  readonly exitCode: number
  readonly timedOut: boolean
  readonly commit: () => void
}

/** A task that ended: `status` is that of its notification. */
export interface EndedTask {
  readonly status: "completed" | "failed" | "stopped"
  readonly summary: string
  readonly outputFile: string
  /** True for the run of a subagent. */
  readonly isAgent?: boolean
}

/** Facts for the log, and the change that is made in their transaction. */
export interface BackgroundChange {
  readonly facts: ReadonlyArray<NewEvent>
  readonly commit: () => void
}

/** A call that its turn waits for. While it is busy, it goes to the background only by itself. */
export interface ForegroundCall {
  readonly isBusy: () => boolean
}

/** The same, once it is known to the session. */
export interface LeavingCall {
  /** Resolves when the call is to go on in the background now. */
  readonly left: Promise<void>
  /** True from then on, and while it is busy and was asked to. */
  readonly isAsked: () => boolean
  readonly ended: () => void
}

export interface BackgroundPort {
  /** Lets clients send a call to the background while its turn waits for it. */
  readonly enter: (toolUseId: string, call: ForegroundCall) => LeavingCall
  /** Those that run, in the order in which they began. */
  readonly running: () => ReadonlyArray<BackgroundTask>
  /** How a task that ended did so; undefined when the session never had it, or had it long ago. */
  readonly ended: (id: string) => EndedTask | undefined
  /** Begins a command with the transaction of `facts`; null when as many run as may. */
  readonly begin: (
    task: { readonly toolUseId: string; readonly description: string; readonly command: string },
    work: (task: BackgroundTask, signal: AbortSignal) => Promise<BackgroundEnd>,
  ) => (BackgroundChange & { readonly task: BackgroundTask }) | null
  /** Announces the run of a subagent, which begins with the transaction of `commit`. */
  readonly beginAgent: (task: {
    readonly agentId: string
    readonly runId: string
    readonly toolUseId: string
    readonly description: string
    readonly type: string
  }) => BackgroundChange
  /** What follows the messages of its end: the prompt with its report, for the transaction that writes them. */
  readonly endAgent: (
    id: string,
    end: BackgroundReport,
  ) => { readonly facts: ReadonlyArray<NewEvent>; readonly commit: (written: ReadonlyArray<LogEvent>) => void }
  /** Ends a command that runs: nothing that it changed is kept. Undefined when it does not run. */
  readonly stop: (id: string) => BackgroundChange | undefined
  /** Resolves when the command has ended, after `ms`, or on abort. */
  readonly wait: (id: string, ms: number, signal: AbortSignal) => Promise<void>
}

/** As `task_type` of the official SDK. */
export const taskType = (isAgent: boolean): "local_agent" | "local_bash" => (isAgent ? "local_agent" : "local_bash")

/** How many may run at once. */
export const MAX_BACKGROUND_TASKS = 4
