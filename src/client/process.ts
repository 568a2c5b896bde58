// The object that the SDK uses as its child process: a session on a Perch server, with a stdin, a stdout and an exit code.
// Invariant: it exits once; before that the server has acknowledged every line of the SDK, and every line of the server has
// been passed on, unless the process is killed or the server can't be reached.
import { answerInPlace, ServerRequests, SdkRequests } from "./closed-input.ts"
import { DelayedQuestions } from "./delayed-questions.ts"
import { endsSession, isResult } from "./line-kinds.ts"
import { randomUUID } from "node:crypto"
import { EventEmitter } from "node:events"
import type { SessionFolders } from "./files/session-folders.ts"
import { completeInitialize, type InitializeDefaults } from "./initialize-line.ts"
import type { Readable, Writable } from "node:stream"
import { Connection, type Timing, TIMING } from "./connection.ts"
import { failureResult } from "../schemas/sdk/messages/failure-result.ts"
import { directoriesOf, type Launch, launchOf, type ProcessExtras } from "./launch/launch.ts"
import { Mirror } from "./transcripts/mirror.ts"
import { openSession } from "./transcripts/open-session.ts"
import { LineGate } from "./line-gate.ts"
import { LineInput, LineOutput } from "./line-stream.ts"
import type { Frame } from "./numbered-frames.ts"
import { OutgoingLines } from "./outgoing-lines.ts"
import type { OpenedSession, PerchServer } from "./server.ts"
import { deliveredLine, IdleReports, type StateReports } from "./session-state.ts"
import type { SpawnedProcess, SpawnOptions } from "./spawn.ts"
import { messageOf } from "./api/message-of.ts"

/** Characters of the SDK's lines that may wait for the server's acknowledgement; beyond that stdin waits. */
const MAX_WAITING = 8 * 1024 * 1024
const ERASE_WITHIN_MS = 10_000
/** How long an exit waits for the SDK to read what was written before it. */
const READ_WITHIN_MS = 1000
/** How long an exit waits for responses to the SDK's own control requests. */
const ANSWERED_WITHIN_MS = 5000
const KEEP_ALIVE = JSON.stringify({ type: "keep_alive" })
/** The exit code of a process that SIGTERM ended. */
const TERMINATED = 143

interface Opened extends OpenedSession {
  readonly connection: Connection
  /** The session is erased when the process ends. */
  readonly erase: boolean
}

type Listener = ((code: number | null, signal: NodeJS.Signals | null) => void) | ((error: Error) => void)

export class PerchProcess implements SpawnedProcess {
  readonly #server: PerchServer
  readonly #timing: Timing
  readonly #signal: AbortSignal
  readonly #events = new EventEmitter()
  readonly #outgoing = new OutgoingLines()
  readonly #gate = new LineGate()
  readonly #serverRequests = new ServerRequests()
  readonly #sdkRequests = new SdkRequests()
  readonly #keepFiles: boolean
  readonly #reportFailure: ((message: string) => void) | undefined
  /** What the command line adds to the app's `initialize`. It is set before the app's first line arrives. */
  #initialize: InitializeDefaults = { hasPrompt: false, sdkServers: {} }
  #mirror: Mirror | undefined
  readonly #questions = new DelayedQuestions({
    pass: (json) => {
      if (!this.#exiting) this.#pass(json)
    },
    passed: () => this.#finishIfDone(),
  })
  #lastAnswers: NodeJS.Timeout | undefined
  readonly #opening = new AbortController()
  readonly #abort = () => void this.kill("SIGTERM")
  readonly #input: LineInput
  readonly #output: LineOutput
  #opened: Opened | undefined
  readonly #idleReports = new IdleReports(this.#outgoing, (json) => this.#exiting || this.#pass(json))
  /** Lines held back until the files of the ended turn are downloaded, the turn's result first; null while none is. */
  #held: Array<string> | null = null
  readonly #folders: SessionFolders | undefined
  /** True once the SDK has closed stdin, or has sent `end_session`. */
  #inputEnded = false
  #finishing = false
  #exiting = false
  /** Called after the frames of each message of the server are taken. */
  #onFramesTaken = () => {}
  killed = false
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null

  constructor(
    server: PerchServer,
    options: Pick<SpawnOptions, "args" | "cwd" | "env" | "signal">,
    sessionId?: string,
    timing: Timing = TIMING,
    more: ProcessExtras = {},
  ) {
    this.#keepFiles = more.transcripts === true
    this.#reportFailure = more.failed
    this.#server = server
    this.#folders = more.folders
    this.#timing = timing
    this.#signal = options.signal
    this.#input = new LineInput({
      line: (given) => {
        const line = completeInitialize(given, this.#initialize)
        this.#serverRequests.sent(line)
        this.#sdkRequests.sent(line)
        this.#idleReports.sent(line)
        this.#mirror?.sent(line)
        this.#send(line)
        // The official process exits by itself after `end_session`.
        if (endsSession(line)) this.#inputEnded = true
      },
      ended: () => {
        this.#inputEnded = true
        for (const answer of this.#serverRequests.close()) this.#send(answer)
        this.#idleReports.noPromptFollows()
        this.#finishIfDone()
      },
      full: () => this.#outgoing.size > MAX_WAITING,
    })
    this.#output = new LineOutput(() => this.#opened?.connection.resume())
    if (options.signal.aborted) this.kill("SIGTERM")
    else options.signal.addEventListener("abort", this.#abort, { once: true })
    void this.#start(options, sessionId, more.envNames ?? [])
  }

  get stdin(): Writable {
    return this.#input.stream
  }

  get stdout(): Readable {
    return this.#output.stream
  }

  on(event: "exit" | "error", listener: Listener): void {
    this.#events.on(event, listener)
  }

  once(event: "exit" | "error", listener: Listener): void {
    this.#events.once(event, listener)
  }

  off(event: "exit" | "error", listener: Listener): void {
    this.#events.off(event, listener)
  }

  /** Ends the process and interrupts a running prompt, so that it costs no more. SIGKILL leaves the prompt running. */
  kill(signal: NodeJS.Signals = "SIGTERM"): boolean {
    if (this.exitCode !== null || this.signalCode !== null) return false
    const before = this.killed
    this.killed = true
    this.#opening.abort()
    if (signal === "SIGKILL") {
      this.#opened?.connection.terminate()
      this.#exit(null, signal)
    } else if (!before && !this.#finishing && !this.#exiting) void this.#stop()
    return true
  }

  async #start(
    options: Pick<SpawnOptions, "args" | "cwd" | "env">,
    sessionId: string | undefined,
    envNames: ReadonlyArray<string>,
  ): Promise<void> {
    let id = sessionId
    try {
      const launch = launchOf(options, sessionId, envNames)
      this.#initialize = launch.initialize
      id = launch.body.id ?? (typeof launch.body.options.resume === "string" ? launch.body.options.resume : undefined)
      this.#mirror = this.#mirrorOf(launch, options)
      const session = await openSession(this.#server, launch, this.#mirror, this.#opening.signal)
      if (this.killed) return
      const { resume, forkSession } = launch.body.options
      this.#mirror?.begin(session.id, forkSession === true && typeof resume === "string" ? resume : undefined)
      await this.#folders?.opened(session, options.cwd, directoriesOf(launch), this.#opening.signal)
      if (this.killed) return
      const erase = session.created && launch.body.options.persistSession === false
      this.#opened = { ...session, erase, connection: this.#connect(session, launch) }
    } catch (error) {
      if (!this.killed) this.#fail(messageOf(error), id)
    }
  }

  #mirrorOf({ mirrored, body }: Launch, { cwd, env }: Pick<SpawnOptions, "cwd" | "env">): Mirror | undefined {
    const files = this.#keepFiles && body.options.persistSession !== false
    const writeLine = (json: string) => void this.#output.write(json)
    return Mirror.of({ files, frames: mirrored, env, cwd: cwd ?? process.cwd(), writeLine })
  }

  #connect(session: OpenedSession, { stateReports }: Launch): Connection {
    const client = randomUUID()
    let joined = false
    const after = () => this.#gate.highest ?? (joined ? session.lastSeq : undefined) ?? "head"
    return new Connection(
      {
        url: () => this.#server.socketUrl(session.id, { client, after: after() }),
        headers: this.#server.headers,
        opened: () => {
          // The server reports the session's state when it receives a line, so a line without effect requests the state.
          if (joined && this.#outgoing.waiting.length === 0) this.#outgoing.add(KEEP_ALIVE)
          joined = true
          this.#idleReports.isIdle = false
          this.#gate.reopen()
        },
        frames: (frames) => this.#take(frames, stateReports),
        lost: (why) => {
          const message = `The connection to ${this.#server.url} was lost and could not be made again: ${why}`
          if (!this.#finishing && !this.killed) this.#fail(message, session.id)
        },
      },
      this.#outgoing,
      this.#timing,
    )
  }

  #send(line: string): void {
    const added = this.#outgoing.add(line)
    this.#opened?.connection.send(added)
  }

  #take(frames: ReadonlyArray<Frame>, stateReports: StateReports): void {
    let room = true
    for (const frame of frames) {
      if (frame.kind === "state") this.#idleReports.isIdle = frame.idle
      else if (frame.kind === "acknowledged") {
        this.#outgoing.acknowledge(frame.upTo)
        room = this.#idleReports.release() && room
      } else if (frame.kind === "line" && !this.killed && this.#gate.admit(frame)) {
        const answer = this.#inputEnded ? answerInPlace(frame.json) : null
        if (answer !== null) {
          this.#send(answer)
          continue
        }
        this.#serverRequests.passed(frame.json)
        this.#sdkRequests.passed(frame.json)
        this.#idleReports.passed(frame.json)
        this.#mirror?.passed(frame.json)
        if (this.#questions.take(frame.json)) continue
        const json = deliveredLine(frame.json, stateReports)
        if (json !== null && !this.#idleReports.hold(json)) room = this.#pass(json)
      }
    }
    if (!room) this.#opened?.connection.pause()
    this.#input.drain()
    this.#onFramesTaken()
    this.#finishIfDone()
  }

  /** Passes a line on to the SDK; a result only after its turn's files are downloaded. False when stdout's buffer is full. */
  #pass(json: string): boolean {
    if (this.#held !== null) this.#held.push(json)
    else if (this.#folders?.downloads === true && isResult(json)) {
      this.#held = [json]
      this.#opened?.connection.pause()
      void this.#bringFiles(this.#folders, this.#held)
    } else return this.#output.write(json)
    return true
  }

  async #bringFiles(folders: SessionFolders, held: Array<string>): Promise<void> {
    for (let json = held[0]; json !== undefined; json = held[0]) {
      if (isResult(json)) await folders.turnEnded(this.#opening.signal)
      if (this.killed) return
      held.shift()
      this.#output.write(json)
    }
    this.#held = null
    this.#opened?.connection.resume()
    this.#finishIfDone()
  }

  get #isSettled(): boolean {
    return this.#held === null && this.#idleReports.isIdle && this.#outgoing.waiting.length === 0
  }

  #finishIfDone(): void {
    if (!this.#inputEnded || !this.#isSettled || this.#finishing || this.killed || this.#questions.waiting) return
    if (!this.#sdkRequests.areOpen) return void this.#finish()
    this.#lastAnswers ??= setTimeout(() => void this.#finish(), ANSWERED_WITHIN_MS)
  }

  async #finish(): Promise<void> {
    if (this.#finishing || this.killed) return
    this.#finishing = true
    clearTimeout(this.#lastAnswers)
    await this.#eraseIfAsked(ERASE_WITHIN_MS)
    this.#opened?.connection.close()
    this.#exit(this.#gate.failed ? 1 : 0, null)
  }

  async #stop(): Promise<void> {
    const connection = this.#opened?.connection
    if (connection?.isOpen === true && !this.#isSettled) await this.#endSession(connection)
    await this.#eraseIfAsked(this.#timing.closeMs)
    connection?.close()
    this.#exit(TERMINATED, null)
  }

  /** Sends `end_session`, which interrupts the running prompt. Resolves when the server acknowledges it, or after `closeMs`. */
  #endSession(connection: Connection): Promise<void> {
    // stdout may have no reader any more, which would block the acknowledgement; lines that arrive from now on are discarded.
    connection.resume()
    const request = { subtype: "end_session" }
    const line = this.#outgoing.add(JSON.stringify({ type: "control_request", request_id: randomUUID(), request }))
    connection.send(line)
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#timing.closeMs)
      this.#onFramesTaken = () => {
        if (this.#outgoing.waiting.some(({ number }) => number <= line.number)) return
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #eraseIfAsked(withinMs: number): Promise<void> {
    if (this.#opened?.erase !== true) return
    try {
      await this.#server.erase(this.#opened.id, withinMs)
    } catch (error) {
      // The prompt's own result is delivered all the same; the app is notified that the session still exists.
      const why = messageOf(error)
      process.emitWarning(`Perch session ${this.#opened.id} was not erased: ${why}`, "PerchWarning")
    }
  }

  #fail(message: string, sessionId: string | undefined): void {
    this.#reportFailure?.(message)
    this.#output.write(JSON.stringify(failureResult(sessionId ?? randomUUID(), message, randomUUID())))
    this.#exit(1, null)
  }

  /** The SDK discards what it has not read when it receives `exit`: it gets time to read first. */
  #exit(code: number | null, signal: NodeJS.Signals | null): void {
    if (!this.#exiting) {
      this.#exiting = true
      this.#signal.removeEventListener("abort", this.#abort)
      clearTimeout(this.#lastAnswers)
      this.#output.end()
    } else if (signal === null) return
    const emitExit = () => {
      clearTimeout(timer)
      if (this.exitCode !== null || this.signalCode !== null) return
      this.exitCode = code
      this.signalCode = signal
      this.stdin.destroy()
      this.#events.emit("exit", code, signal)
    }
    const timer = setTimeout(emitExit, this.killed ? 0 : READ_WITHIN_MS)
    if (!this.killed) this.stdout.once("close", emitExit)
  }
}
