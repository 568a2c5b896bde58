// A session without its Durable Object: the real log, inbox, asks, workspace and loop over SQLite in memory, and the live model
// over a scripted Messages API. It can be killed after any transaction and booted again from what was stored.
import { Clock, Effect, Layer, ManagedRuntime, Scheduler } from "effect"
import { liveModel } from "../../../src/model/live/live-model.ts"
import type { MessagesApi } from "../../../src/model/messages-api.ts"
import { RecordingNotFound } from "../../../src/recording/recording-not-found.ts"
import type { Actor } from "../../../src/schemas/access.ts"
import type { Env } from "../../../src/schemas/env.ts"
import type { ToolSkipped } from "../../../src/schemas/log/event-payloads.ts"
import { EventNames, type LogEvent } from "../../../src/schemas/log/events.ts"
import { decodeFeedLine, type FeedLine } from "../../../src/schemas/log/feed-line.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { SubmitArgs } from "../../../src/schemas/rpc/turns.ts"
import { clientName } from "../../../src/session/feed/listener.ts"
import { Feed } from "../../../src/session/feed/feed.ts"
import type { SessionLog } from "../../../src/session/storage/log.ts"
import { Media } from "../../../src/session/media/media.ts"
import { Meta } from "../../../src/session/storage/meta.ts"
import type { SessionCore } from "../../../src/session/core.ts"
import { SessionLife } from "../../../src/session/life.ts"
import { ObjectContext } from "../../../src/session/object-context.ts"
import { OpenSession } from "../../../src/session/open-session.ts"
import type { OpenRecording } from "../../../src/session/recording/player.ts"
import { Blobs } from "../../../src/workspace/blobs.ts"
import { TenantShare } from "../../../src/session/lanes/tenant-share.ts"
import { openSessionTwin, type Twin } from "../../workspace/sql-twin.ts"
import { deliveringQueue } from "./fake-queue.ts"
import { SqliteD1 } from "./sqlite-d1.ts"
import { FakeTenants } from "./tenants.ts"
import { FakeSocket, type HookTable, SessionClient } from "./session-client.ts"
import { NoWebhooks } from "./webhooks.ts"

export const SESSION_ID = "0199a000-0000-7000-8000-00000000abcd"

/** The parts of an open session by name; its core is `session`. */
type Parts = Pick<SessionCore, "log" | "workspace" | "outbox" | "clients" | "background" | "share" | "life" | "feed"> &
  Pick<
    OpenSession,
    "core" | "hooks" | "directCalls" | "runner" | "control" | "forkExport" | "ephemeral" | "authorizations"
  >

export interface Booted extends Parts {
  readonly session: SessionCore
  readonly open: OpenSession
  /** Ends the running or waiting turn, as the object does. */
  readonly stopTurn: () => Promise<boolean>
  /** Resolves when the runner has nothing left to do, or the process has died. */
  readonly idle: () => Promise<void>
}

interface Process extends Booted {
  readonly isAlive: () => boolean
}

const ROOT_KEY = "a-root-key-of-more-than-32-characters"

/** Hooks and pages at local addresses can be called; D1 contains what a test flushes. */
const envOf = (database: SqliteD1): Env =>
  ({
    DB: database.d1,
    HOOKS: deliveringQueue(database),
    PERCH_ROOT_KEY: ROOT_KEY,
    ANTHROPIC_API_KEY: "test",
    PERCH_LOG: "quiet",
    PERCH_ALLOW_PRIVATE_HOOKS: "true",
    PERCH_FETCH_ALLOW: "127.0.0.1",
    PERCH_FETCH_RESOLVER: "off",
    TENANTS: new FakeTenants(),
    WEBHOOKS: new NoWebhooks(),
  }) as unknown as Env

export class SessionHarness {
  readonly twin: Twin = openSessionTwin()
  readonly database = new SqliteD1()
  /** The source of the session's webhook secrets. */
  readonly secrets = { db: this.database.d1, rootKey: ROOT_KEY }
  readonly #env: Env
  readonly #runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  /** Commits since the last boot: transactions, and statements outside of any. */
  transactions = 0
  /** Called after each commit with the count. */
  onCommit: (count: number) => void = () => undefined
  /** The process dies right after this number of commits. */
  dieAfter = Number.POSITIVE_INFINITY
  #epoch = 0
  #process: Process | null = null
  #sockets: ReadonlyArray<WebSocket> = []

  /** Opens the recording that a session plays. */
  openRecording: OpenRecording = (recording) =>
    Effect.fail(new RecordingNotFound({ recording, hash: "", message: `there is no recording ${recording}` }))

  /** Called right after everything stored was removed. */
  onRemoval: () => void = () => undefined

  /** Called when the object should wake; nothing wakes it automatically. */
  onAlarm: (at: number) => void = () => undefined

  constructor(apiUrl: string, options: SessionOptions = {}, settings: Partial<Env> = {}, clock?: Clock.Clock) {
    this.#env = { ...envOf(this.database), ...settings }
    const scheduler = Layer.succeed(Scheduler.Scheduler, new Scheduler.MixedScheduler("sync"))
    const media = new Media(new Blobs(this.twin.sql))
    const model = liveModel({ baseUrl: apiUrl, apiKey: "test" }, (text) => media.bytes(text))
    this.#runtime = ManagedRuntime.make(
      Layer.mergeAll(model, scheduler, clock === undefined ? Layer.empty : Layer.succeed(Clock.Clock, clock)),
    )
    new Meta(this.twin.sql).set("session", {
      id: SESSION_ID,
      tenant: "test",
      cwd: "/workspace",
      title: null,
      metadata: {},
      options,
      fingerprint: null,
      permission_updates: [],
      created_at: 1_700_000_000_000,
    })
  }

  /** Does what a Durable Object does when it starts: reads what is stored and continues from it. Its sockets stay. */
  boot(): Booted {
    this.#epoch += 1
    this.transactions = 0
    const epoch = this.#epoch
    let dead: () => void = () => undefined
    const died = new Promise<void>((resolve) => {
      dead = resolve
    })
    const isAlive = () => epoch === this.#epoch && this.transactions < this.dieAfter
    const alive = () => {
      if (!isAlive()) throw new Error("the process has died")
    }
    const committed = () => {
      this.transactions += 1
      if (this.transactions >= this.dieAfter) dead()
      else this.onCommit(this.transactions)
    }
    let depth = 0
    const exec = (query: string, ...bindings: ReadonlyArray<unknown>) => {
      alive()
      const before = this.twin.rowsWritten()
      const cursor = this.twin.sql.exec(query, ...bindings)
      if (depth === 0 && !/^\s*(?:SELECT|WITH)/i.test(query)) committed()
      return Object.assign(cursor, { rowsWritten: this.twin.rowsWritten() - before })
    }
    const transactionSync = <A>(run: () => A): A => {
      alive()
      depth += 1
      try {
        const value = this.twin.transactionSync(run)
        if (depth === 1) committed()
        return value
      } finally {
        depth -= 1
      }
    }
    let ended: Promise<void> = Promise.resolve()
    const state = {
      id: { name: `test/${new Meta(this.twin.sql).get("session")?.id ?? SESSION_ID}` },
      storage: {
        sql: { exec },
        transactionSync,
        deleteAlarm: async () => undefined,
        deleteAll: () => Promise.resolve(this.twin.clear()).then(() => this.onRemoval()),
        setAlarm: (at: number) => {
          // Every alarm is reported, and none replaces another.
          context.alarm.wentOff()
          this.onAlarm(at)
        },
      },
      waitUntil: (work: Promise<unknown>) => {
        ended = Promise.allSettled([ended, work]).then(() => undefined)
      },
      acceptWebSocket: (socket: WebSocket) => {
        this.#sockets = [...this.#sockets, socket]
      },
      getWebSockets: () => (epoch === this.#epoch ? this.#sockets : []),
    } as unknown as DurableObjectState
    const context = new ObjectContext(state, this.#env)
    const meta = new Meta(context.sql)
    const record = meta.get("session")
    if (record === undefined) throw new Error("the harness has no session")
    const life = new SessionLife()
    const feed = new Feed(context, life)
    const open = new OpenSession({
      context,
      life,
      feed,
      share: new TenantShare(context),
      maintenance: {
        askOpened: () => undefined,
        flush: () => undefined,
        flushSoon: () => undefined,
        wrote: () => undefined,
      },
      erasure: { eraseIfAbandoned: () => undefined },
      meta,
      record,
      runtime: this.#runtime,
      openRecording: (id) => this.openRecording(id),
    })
    life.become({ tag: "open", session: open })
    const idle = async () => {
      for (let seen: Promise<void> | null = null; seen !== ended && isAlive();) {
        seen = ended
        await Promise.race([seen, died])
      }
    }
    const { log, workspace, outbox, clients, background, share } = open.core
    const parts = { session: open.core, log, workspace, outbox, clients, background, share, life, feed }
    this.#process = { ...open, ...parts, open, stopTurn: () => open.runner.stop(), idle, isAlive }
    open.recover()
    return this.#process
  }

  /** A client of the control protocol, with a socket that receives from now on. */
  connect(hooks: HookTable = {}, name?: string, actor?: Actor): SessionClient {
    const take = (from: string, frame: unknown) => {
      // What is sent to a process that has died is lost.
      if (this.#process?.isAlive() === true) this.#process.control.take(from, frame, crypto.randomUUID(), actor)
    }
    const client = new SessionClient(take, hooks, clientName(name ?? crypto.randomUUID(), actor))
    this.attach(client, "head", actor)
    return client
  }

  /** A viewer, like the Worker: the lines that it receives from now on. */
  view(
    query: {
      readonly after?: number | "head"
      readonly turn?: string
      readonly signals?: string
      readonly facts?: true
    } = {},
  ): ReadonlyArray<FeedLine> {
    const lines: Array<FeedLine> = []
    const socket = new FakeSocket((text) => lines.push(...text.split("\n").map(decodeFeedLine)))
    const { after = "head", turn = null, ...more } = query
    const partials = query.facts === true ? "yes" : "turn"
    const asked = { after, turn, partials, client: null, form: "feed", ...more } as const
    // The feed uses only these members of a socket.
    void this.#process?.feed.open(socket as unknown as WebSocket, asked)
    return lines
  }

  /** Gives a client a new socket, which receives from `after` on. */
  attach(client: SessionClient, after: number | "head" = "head", actor?: Actor): void {
    const process = this.#process
    if (process === null) throw new Error("nothing is booted")
    client.socket.readyState = WebSocket.OPEN
    // The feed uses only these members of a socket.
    const socket = client.socket as unknown as WebSocket
    this.#sockets = this.#sockets.filter((known) => known !== socket)
    const who = actor === undefined ? {} : { actor }
    void process.feed.open(socket, { after, turn: null, partials: "yes", client: client.name, form: "plain", ...who })
    process.clients.attached(client.name)
  }

  /** Closes a client's socket; with `forGood` the client announces that it will not reconnect. */
  detach(client: SessionClient, forGood: boolean): void {
    client.socket.close()
    this.#sockets = this.#sockets.filter((socket) => socket !== (client.socket as unknown))
    this.#process?.clients.detached(client.name, forGood)
  }

  /** Ends everything that runs, like a power failure: nothing of it can write to the storage afterwards. */
  crash(): void {
    this.#epoch += 1
    this.dieAfter = Number.POSITIVE_INFINITY
  }

  async dispose(): Promise<void> {
    this.crash()
    await this.#runtime.dispose()
  }
}

/** Queues a prompt; returns the turn's id. */
export const prompt = (
  session: SessionCore,
  text: string,
  options: SessionOptions = {},
  manner?: NonNullable<SubmitArgs["manner"]>,
): string => {
  const turn = crypto.randomUUID()
  const args: SubmitArgs = { turn, prompt: text, onBusy: "queue", options, fingerprint: text }
  const submitted = session.prompts.submit(manner === undefined ? args : { ...args, manner })
  if ("refused" in submitted) throw new Error(submitted.refused.message)
  return turn
}

export const eventsOf = (log: SessionLog): ReadonlyArray<LogEvent> => [...log.all()].map((stored) => stored.event)

interface Block {
  readonly type: string
  readonly id?: string
  readonly name?: string
  readonly tool_use_id?: string
  readonly is_error?: boolean
  readonly content?: unknown
}

export const blocksOf = (event: LogEvent): ReadonlyArray<Block> => {
  const content = (event.payload as { message?: { content?: unknown } }).message?.content
  return Array.isArray(content) ? (content as ReadonlyArray<Block>) : []
}

const BEFORE_INIT: ReadonlySet<string> = new Set([
  "sdk:system/session_state_changed",
  "sdk:system/status",
  "sdk:conversation_reset",
  "sdk:system/background_tasks_changed",
])
const isEcho = ({ payload }: LogEvent): boolean => "isReplay" in payload && payload.isReplay === true

/** The invariants of every log whose turns have ended, whatever happened. */
export const problemsOf = (events: ReadonlyArray<LogEvent>, turns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const problems: Array<string> = []
  events.forEach((event, index) => {
    if (event.seq !== index + 1) problems.push(`seq ${event.seq} is at place ${index + 1}`)
  })
  for (const turn of turns) {
    const own = events.filter(
      (event) => event.turn === turn && event.name.startsWith("sdk:") && event.name !== "sdk:command_lifecycle",
    )
    const results = own.filter((event) => event.name.startsWith("sdk:result"))
    const inits = own.filter((event) => event.name === "sdk:system/init")
    if (results.length !== 1) problems.push(`${results.length} results`)
    if (inits.length !== 1) problems.push(`${inits.length} inits`)
    // As the official SDK: a manual compaction, a cleared conversation, and echoes of merged prompts precede the turn's start.
    const first = own.find((event) => !BEFORE_INIT.has(event.name) && !isEcho(event))
    if (first?.name !== "sdk:system/init") problems.push(`the turn begins with ${first?.name}`)
  }
  const blocks = events.filter((event) => /^sdk:(assistant|user)$/.test(event.name)).flatMap(blocksOf)
  const uses = blocks.filter((block) => block.type === "tool_use").map((block) => block.id)
  // A call of a turn that ended before it could run gets only a result for the model.
  const skipped = events
    .filter((event) => event.name === EventNames.toolSkipped)
    .map((event) => (event.payload as ToolSkipped).tool_use_id)
  const results = [
    ...blocks.filter((block) => block.type === "tool_result").map((block) => block.tool_use_id),
    ...skipped,
  ]
  if (JSON.stringify(uses.toSorted()) !== JSON.stringify(results.toSorted())) {
    problems.push(`calls ${uses.join()} have results ${results.join()}`)
  }
  return problems
}
