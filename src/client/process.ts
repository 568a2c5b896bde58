// What the SDK takes for its process: a session on a Perch server, with a stdin, a stdout and an exit code.
// Invariant: it exits once; before that every line of the SDK is taken by the server and every line of the server is
// passed on, unless it is killed or the server cannot be had.
import { answerInPlace, OpenRequests } from "./closed-input.ts"
import { randomUUID } from "node:crypto"
import { EventEmitter } from "node:events"
import type { Readable, Writable } from "node:stream"
import { Connection, type Timing, TIMING } from "./connection.ts"
import { failureResult } from "../schemas/sdk/failure-result.ts"
import { type Launch, launchOf } from "./launch.ts"
import { LineGate } from "./line-gate.ts"
import { LineInput, LineOutput } from "./line-stream.ts"
import type { Frame } from "./numbered-frames.ts"
import { OutgoingLines } from "./outgoing-lines.ts"
import type { OpenedSession, PerchServer } from "./server.ts"
import { forSdkAlone } from "./session-state.ts"
import type { SpawnedProcess, SpawnOptions } from "./spawn.ts"

/** Characters of the SDK's lines that may wait for the server. */
const MAX_WAITING = 8 * 1024 * 1024
const ERASE_WITHIN_MS = 10_000
/** How long an exit waits for the SDK to read what was said before it. */
const READ_WITHIN_MS = 1000
const KEEP_ALIVE = JSON.stringify({ type: "keep_alive" })
/** What a process exits with that SIGTERM ends. */
const TERMINATED = 143

interface Opened extends OpenedSession {
  readonly connection: Connection
  /** Nobody is to find the session afterwards. */
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
  readonly #asked = new OpenRequests()
  readonly #opening = new AbortController()
  readonly #abort = () => void this.kill("SIGTERM")
  readonly #input: LineInput
  readonly #output: LineOutput
  #opened: Opened | undefined
  /** Whether the server said that no prompt is open. */
  #idle = false
  #inputEnded = false
  #finishing = false
  #exiting = false
  #onTaken = () => {}
  killed = false
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null

  constructor(
    server: PerchServer,
    options: Pick<SpawnOptions, "args" | "cwd" | "env" | "signal">,
    sessionId?: string,
    timing: Timing = TIMING,
  ) {
    this.#server = server
    this.#timing = timing
    this.#signal = options.signal
    this.#input = new LineInput({
      line: (line) => {
        this.#asked.sent(line)
        this.#send(line)
      },
      ended: () => {
        this.#inputEnded = true
        for (const answer of this.#asked.close()) this.#send(answer)
        this.#finishIfDone()
      },
      full: () => this.#outgoing.size > MAX_WAITING,
    })
    this.#output = new LineOutput(() => this.#opened?.connection.resume())
    if (options.signal.aborted) this.kill("SIGTERM")
    else options.signal.addEventListener("abort", this.#abort, { once: true })
    void this.#start(options, sessionId)
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

  /** Ends it: a prompt that runs is interrupted, so that it costs no more. SIGKILL ends it without a word. */
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

  async #start(options: Pick<SpawnOptions, "args" | "cwd" | "env">, sessionId: string | undefined): Promise<void> {
    let id = sessionId
    try {
      const launch = launchOf(options, sessionId)
      id = launch.body.id ?? (typeof launch.body.options.resume === "string" ? launch.body.options.resume : undefined)
      const session = await this.#server.open(launch.body, this.#opening.signal)
      if (this.killed) return
      const erase = session.created && launch.body.options.persistSession === false
      this.#opened = { ...session, erase, connection: this.#connect(session, launch) }
    } catch (error) {
      if (!this.killed) this.#fail(error instanceof Error ? error.message : String(error), id)
    }
  }

  #connect(session: OpenedSession, { showState }: Launch): Connection {
    const client = randomUUID()
    let joined = false
    const after = () => this.#gate.highest ?? (joined ? session.lastSeq : undefined) ?? "head"
    return new Connection(
      {
        url: () => this.#server.socketUrl(session.id, { client, after: after() }),
        headers: this.#server.headers,
        opened: () => {
          // The server says how things stand when it takes a line: one that means nothing asks for it.
          if (joined && this.#outgoing.waiting.length === 0) this.#outgoing.add(KEEP_ALIVE)
          joined = true
          this.#idle = false
          this.#gate.reopen()
        },
        frames: (frames) => this.#take(frames, showState),
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

  #take(frames: ReadonlyArray<Frame>, showState: boolean): void {
    let room = true
    for (const frame of frames) {
      if (frame.kind === "state") this.#idle = frame.idle
      else if (frame.kind === "taken") this.#outgoing.taken(frame.upTo)
      else if (!this.killed && this.#gate.admit(frame)) {
        const answer = this.#inputEnded ? answerInPlace(frame.json) : null
        if (answer !== null) {
          this.#send(answer)
          continue
        }
        this.#asked.passed(frame.json)
        room = this.#output.write(showState ? frame.json : forSdkAlone(frame.json))
      }
    }
    if (!room) this.#opened?.connection.pause()
    this.#input.drain()
    this.#onTaken()
    this.#finishIfDone()
  }

  get #settled(): boolean {
    return this.#idle && this.#outgoing.waiting.length === 0
  }

  #finishIfDone(): void {
    if (this.#inputEnded && this.#settled && !this.#finishing && !this.killed) void this.#finish()
  }

  async #finish(): Promise<void> {
    this.#finishing = true
    await this.#eraseIfAsked(ERASE_WITHIN_MS)
    this.#opened?.connection.close()
    this.#exit(this.#gate.failed ? 1 : 0, null)
  }

  async #stop(): Promise<void> {
    const connection = this.#opened?.connection
    if (connection?.open === true && !this.#settled) await this.#interrupt(connection)
    await this.#eraseIfAsked(this.#timing.goodbyeMs)
    connection?.close()
    this.#exit(TERMINATED, null)
  }

  /** Resolves when the server has taken it, or when that takes too long. */
  #interrupt(connection: Connection): Promise<void> {
    // Nobody may be reading stdout any more; what comes now is not for it.
    connection.resume()
    const request = { subtype: "interrupt", cancel_queued: true }
    const line = this.#outgoing.add(JSON.stringify({ type: "control_request", request_id: randomUUID(), request }))
    connection.send(line)
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#timing.goodbyeMs)
      this.#onTaken = () => {
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
      // The prompt's own result stands; that the session is still there must not go unsaid.
      const why = error instanceof Error ? error.message : String(error)
      process.emitWarning(`Perch session ${this.#opened.id} was not erased: ${why}`, "PerchWarning")
    }
  }

  #fail(message: string, sessionId: string | undefined): void {
    this.#output.write(JSON.stringify(failureResult(sessionId ?? randomUUID(), message, randomUUID())))
    this.#exit(1, null)
  }

  /** The SDK takes what it has not read when it hears of an exit as never said: it reads first. */
  #exit(code: number | null, signal: NodeJS.Signals | null): void {
    if (!this.#exiting) {
      this.#exiting = true
      this.#signal.removeEventListener("abort", this.#abort)
      this.#output.end()
    } else if (signal === null) return
    const tell = () => {
      clearTimeout(timer)
      if (this.exitCode !== null || this.signalCode !== null) return
      this.exitCode = code
      this.signalCode = signal
      this.stdin.destroy()
      this.#events.emit("exit", code, signal)
    }
    const timer = setTimeout(tell, this.killed ? 0 : READ_WITHIN_MS)
    if (!this.killed) this.stdout.once("close", tell)
  }
}
