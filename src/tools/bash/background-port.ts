// The port with which tools run commands in the session's background: start, list, wait for and stop them.
// Invariant: a command starts only once its start is logged, and its end is reported once: with its changes, or as lost.
import type { LogEvent, NewEvent } from "../../schemas/log/events.ts"

/** A command or subagent that continues after its call. Times are milliseconds since 1970. */
export interface BackgroundTask {
  readonly task_id: string
  readonly run_id: string
  readonly tool_use_id: string
  readonly description: string
  /** The command, truncated when it is long. */
  readonly command: string
  readonly output_file: string
  readonly started_at: number
  /** The type of the subagent, if the task is the run of one; the task's id is then the agent's id. */
  readonly agent?: string
  /** The id of the agent that runs the command, or that started this agent. */
  readonly parent_task_id?: string
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
  /** Absent in states that earlier versions stored. */
  readonly description?: string
  readonly summary: string
  readonly outputFile: string
  /** True for the run of a subagent. */
  readonly isAgent?: boolean
}

/** Facts for the log, and the change that is made in their transaction. */
export interface BackgroundChange {
  readonly facts: ReadonlyArray<NewEvent>
  readonly commit: (written: ReadonlyArray<LogEvent>) => void
}

/** A call that its turn waits for. While it is busy, only the call itself can move to the background. */
export interface ForegroundCall {
  /** The task as which clients are shown the call; undefined until they are. */
  readonly taskId: () => string | undefined
  /** False inside an agent, which moves to the background only as a whole. */
  readonly canLeave: boolean
  readonly isBusy: () => boolean
}

/** A ForegroundCall that is registered with the session. */
export interface LeavingCall {
  /** Resolves when the call must continue in the background now. */
  readonly left: Promise<void>
  /** Resolves when a client asks to stop the call, which then ends itself. */
  readonly stopped: Promise<void>
  /** Whether a client asked to move the call; true even if `left` has not resolved because the call was busy. */
  readonly isAsked: () => boolean
  readonly ended: () => void
}

/** A command that clients were shown as a task while its turn waits for it. */
export interface ShownTask {
  readonly id: string
  readonly runId: string
  /** `killed`: a client stopped the task. */
  readonly end: (status: EndedTask["status"] | "killed") => void
}

export interface BackgroundPort {
  /** Registers a call, so that clients can stop it, or move it to the background, while its turn waits for it. */
  readonly enter: (toolUseId: string, call: ForegroundCall) => LeavingCall
  /** The running tasks, in the order in which they started. */
  readonly running: () => ReadonlyArray<BackgroundTask>
  /** How a task ended; undefined for a task that the session never had, or no longer remembers. */
  readonly ended: (id: string) => EndedTask | undefined
  /** Starts a command with the transaction of `facts`; null when MAX_BACKGROUND_TASKS run already. */
  readonly begin: (
    task: {
      readonly toolUseId: string
      readonly description: string
      readonly command: string
      /** The task as which clients were shown the command before. */
      readonly shown?: Pick<ShownTask, "id" | "runId"> | undefined
      /** The agent that runs the command. */
      readonly parent?: string | undefined
    },
    work: (task: BackgroundTask, signal: AbortSignal) => Promise<BackgroundEnd>,
  ) => (BackgroundChange & { readonly task: BackgroundTask }) | null
  /** Announces the run of a subagent, which starts with the transaction of `commit`. */
  readonly beginAgent: (task: {
    readonly agentId: string
    readonly runId: string
    readonly toolUseId: string
    readonly description: string
    readonly type: string
    /** The agent that started it. */
    readonly parent?: string | undefined
  }) => BackgroundChange
  /**
   * Returns what follows the last messages of any agent, for the transaction that appends them: the prompt with the report of one
   * in the background.
   */
  readonly endAgent: (id: string, end: BackgroundReport) => BackgroundChange
  /**
   * Stops a running task for the model: an agent, of which the model is notified, or a command, whose changes are discarded;
   * undefined when it does not run.
   */
  readonly stop: (id: string) => BackgroundChange | undefined
  /** Resolves when the command has ended, after `ms`, or on abort. */
  readonly wait: (id: string, ms: number, signal: AbortSignal) => Promise<void>
}

/** As `task_type` of the official SDK. */
export const taskType = (isAgent: boolean): "local_agent" | "local_bash" => (isAgent ? "local_agent" : "local_bash")

/** How many background commands may run at once. */
export const MAX_BACKGROUND_TASKS = 4
