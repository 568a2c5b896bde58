// The sessions' objects for tests in Node: `SessionRpc` and the feed, in memory, speaking the real feed lines.
import { Accounting } from "../../src/agent/transcript/accounting.ts"
import { costReport } from "../../src/session/session-report.ts"
import { contextUsage } from "../../src/model/catalogue/context-usage.ts"
import type { Actor } from "../../src/schemas/access.ts"
import type { FeedLine } from "../../src/schemas/log/feed-line.ts"
import { ERROR_STATUS, type RpcError, type RpcResult } from "../../src/schemas/errors/rpc-error.ts"
import type { CreateArgs, ReopenArgs, SessionInfo } from "../../src/schemas/rpc/session.ts"
import type { ForkArgs } from "../../src/schemas/rpc/fork.ts"
import {
  SUBMISSION_HEADER,
  SUBMITTED_HEADER,
  type SubmitArgs,
  type TurnInfo,
  type TurnStatus,
} from "../../src/schemas/rpc/turns.ts"
import type { ToolCatalogue } from "../../src/schemas/rpc/tools.ts"
import type { Message } from "../../src/schemas/parts.ts"
import type { SessionNamespace, SessionStub } from "../../src/schemas/env.ts"
import { LAST_SEQ_HEADER, shownMessages } from "../../src/views/parts/message-page.ts"
import { FakeEnd } from "./fake-ends.ts"
import { changedInfo } from "./fake-changes.ts"
import { fakeCopies, fakeReverts } from "./fake-copies.ts"
import { fileAnswer, fileInfos } from "./fake-files.ts"
import { FakeSocket } from "./fake-socket.ts"

const ok = <A>(value: A): RpcResult<A> => ({ ok: true, value })
const fail = (type: RpcError["type"], message: string) => ({ ok: false, error: { type, message } }) as const
const NO_LIMITS = { files: 10_000, bytes: 256 << 20, file_bytes: 32 << 20 }
const otherRequest = fail("unprocessable_error", "Another request used this key")
const missing = fail("not_found_error", "There is no session with this id")

/** A session that runs each prompt at once: its log is `init`, then `result`. */
export class FakeSession {
  readonly id: string
  info: SessionInfo | null = null
  fingerprint: string | undefined
  busy = false
  /** What `wait` returns instead of the result. */
  waiting: TurnStatus | null = null
  readonly log: Array<FeedLine> = []
  readonly submitted: Array<SubmitArgs> = []
  readonly sockets: Array<FakeSocket> = []
  readonly feeds: Array<string> = []
  /** The session's ends of the control protocol's sockets, and the request of each. */
  readonly controls: Array<{ readonly end: FakeEnd; readonly search: string }> = []
  readonly files = new Map<string, string>()
  readonly answers: Array<unknown> = []
  readonly calls: Array<string> = []
  messages: ReadonlyArray<Message> = []
  catalogue: ToolCatalogue = { builtIn: ["Read"], others: [], rejected: [] }
  /** Whether the events count as stored in D1. */
  stored = false
  /** The conversation with which the session was created. */
  history: NonNullable<CreateArgs["history"]> = []
  /** Frames that clients of the control protocol sent over HTTP. */
  readonly frames: Array<{ readonly client: string; readonly frame: Readonly<Record<string, unknown>> }> = []

  /** Requests that resumed the session, each once. */
  readonly reopened: Array<ReopenArgs> = []
  /** The source of the copy. */
  forked: ForkArgs | null = null
  claimed: { readonly fingerprint: string; readonly session: string } | null = null

  /** The actors of changes, in order. */
  readonly actors: Array<readonly [what: string, actor: Actor | undefined]> = []

  constructor(name: string) {
    this.id = name.slice(name.indexOf("/") + 1)
  }

  append(line: Omit<FeedLine, "seq" | "at">): void {
    const durable = { ...line, seq: this.log.length + 1, at: 0 }
    this.log.push(durable)
    for (const socket of this.sockets) socket.send(durable)
  }

  result(turn: string) {
    return { type: "result", subtype: "success", is_error: false, session_id: this.id, uuid: turn }
  }

  completed(turn: string): TurnStatus {
    return { turn_id: turn, status: "completed", pending: [], result: this.result(turn) }
  }

  turn(turn: string): TurnInfo {
    return {
      type: "turn",
      session_id: this.id,
      ...this.completed(turn),
      joined_turn_id: null,
      cost_usd: 0,
      queued_at: "2026-01-01T00:00:00.000Z",
      started_at: "2026-01-01T00:00:00.000Z",
      ended_at: "2026-01-01T00:00:00.000Z",
      first_seq: 1,
      last_seq: 3,
    }
  }

  make({ session, history = [], fingerprint }: CreateArgs) {
    if (this.claimed !== null) return otherRequest
    if (this.info !== null) {
      if (fingerprint === undefined) return fail("conflict_error", "The session exists")
      if (fingerprint === this.fingerprint) return ok({ session: this.info, created: false })
      return fail("unprocessable_error", "Another request made this session")
    }
    this.fingerprint = fingerprint
    this.history = history
    this.info = {
      ...session,
      id: this.id,
      type: "session",
      state: "idle",
      model: "offline",
      permissionMode: session.options.permissionMode ?? "default",
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z",
      turns: 0,
      total_cost_usd: 0,
      last_seq: 0,
    }
    return ok({ session: this.info, created: true })
  }

  submit(args: SubmitArgs) {
    if (args.create !== undefined) {
      const made = this.make(args.create)
      if (!made.ok) return made
    }
    if (this.info === null) return missing
    const before = this.submitted.find(({ turn }) => turn === args.turn)
    const seq = this.log.find(({ turn }) => turn === args.turn)?.seq ?? this.log.length + 1
    if (before !== undefined) {
      if (before.fingerprint !== args.fingerprint) return fail("unprocessable_error", "Another prompt has this uuid")
      return ok({ turn_id: args.turn, status: "completed", pending: [], seq, replayed: true } as const)
    }
    if (this.busy && args.onBusy === "reject") return fail("conflict_error", "A turn is running")
    this.submitted.push(args)
    const entry = { turn: args.turn, json: JSON.stringify({ type: "assistant", text: args.prompt }) }
    this.append({ ...entry, name: "turn:queued" })
    this.append({ ...entry, name: "sdk:assistant" })
    if (!this.busy) {
      this.append({ turn: args.turn, name: "sdk:result/success", json: JSON.stringify(this.result(args.turn)) })
    }
    return ok({
      turn_id: args.turn,
      status: this.busy ? "running" : "completed",
      pending: [],
      seq,
      replayed: false,
    } as const)
  }

  feed(url: URL): Response {
    this.feeds.push(url.search)
    if (this.info === null) return Response.json(missing.error, { status: 404 })
    const turn = url.searchParams.get("turn")
    const after = url.searchParams.get("after")
    const start = after === "head" ? this.log.length : Number(after)
    const socket = new FakeSocket()
    const last = JSON.stringify({ last_seq: this.log.length })
    if (start > this.log.length) socket.send({ name: "feed:truncated", json: last })
    for (const line of this.log.slice(start)) if (turn === null || line.turn === turn) socket.send(line)
    socket.send({ name: "feed:live", json: last })
    this.sockets.push(socket)
    // Node has no upgrade response; the Worker reads only its socket.
    return { status: 101, ok: false, webSocket: socket, headers: new Headers() } as unknown as Response
  }

  /** Submits a prompt and subscribes to the feed. */
  query(url: URL, submission: string): Response {
    const answer = this.submit(JSON.parse(submission) as SubmitArgs)
    if (!answer.ok) return Response.json(answer.error, { status: ERROR_STATUS[answer.error.type] })
    url.searchParams.set("after", String(answer.value.seq - 1))
    const response = this.feed(url)
    response.headers.set(SUBMITTED_HEADER, JSON.stringify(answer.value))
    return response
  }

  socket(url: URL): Response {
    if (this.info === null) return Response.json(missing.error, { status: 404 })
    const [client, end] = FakeEnd.pair()
    end.accept()
    this.controls.push({ end, search: url.search })
    return { status: 101, ok: false, webSocket: client } as unknown as Response // as above
  }

  async file(url: URL, init: RequestInit | undefined): Promise<Response> {
    if (this.info === null) return Response.json(missing.error, { status: 404 })
    return fileAnswer(this.files, url, init)
  }

  page({ pathname, searchParams }: URL): Response {
    this.calls.push(pathname.slice(1))
    if (this.info === null) return Response.json(missing.error, { status: 404 })
    const after = searchParams.get("after")
    const limit = Number(searchParams.get("limit"))
    if (pathname === "/events") {
      const events = this.log
        .filter(({ seq }) => (seq ?? 0) > Number(after))
        .slice(0, limit)
        .map(({ seq, name, turn, json }) => ({ seq, name, turn, payload: JSON.parse(json) as unknown }))
      return Response.json({ events, has_more: false, last_seq: this.log.length })
    }
    const last_seq = this.log.length
    if (this.stored && searchParams.get("source") === null)
      return new Response(null, { status: 204, headers: { [LAST_SEQ_HEADER]: String(last_seq) } })
    const from = this.messages.findIndex(({ info }) => info.id === after) + 1
    const has_more = from + limit < this.messages.length
    const page = { messages: this.messages.slice(from, from + limit), has_more, last_seq }
    return Response.json(shownMessages(this.id, page, searchParams.get("format") === "sdk"))
  }

  stub(): SessionStub {
    const existing = <A>(what: string, value: () => RpcResult<A>): Promise<RpcResult<A>> => {
      this.calls.push(what)
      return Promise.resolve(this.info === null ? missing : value())
    }
    const info = () => ok({ ...this.info!, last_seq: this.log.length })
    return {
      create: async (args) => {
        this.actors.push(["create", args.actor])
        return this.make(args)
      },
      info: () => existing("info", info),
      reopen: ({ actor, ...args }) =>
        existing("reopen", () => {
          this.actors.push(["reopen", actor])
          const before = this.reopened.find(({ once }) => args.once !== undefined && once?.key === args.once.key)
          if (before !== undefined && before.once?.fingerprint !== args.once?.fingerprint) return otherRequest
          if (before === undefined) {
            this.reopened.push(args)
            this.info = { ...this.info!, options: args.options }
          }
          return ok({ session: this.info!, replayed: before !== undefined })
        }),
      fork: async ({ actor, ...args }) => {
        this.actors.push(["fork", actor])
        const { options, title = null, metadata = {} } = args
        const made = this.make({
          session: { cwd: "/workspace", title, metadata, options },
          ...(args.fingerprint === undefined ? {} : { fingerprint: args.fingerprint }),
        })
        if (made.ok && made.value.created) this.forked = args
        return made
      },
      claim: async (claim) => {
        if (this.info !== null) return this.fingerprint === claim.fingerprint ? ok({ session: this.id }) : otherRequest
        this.claimed ??= claim
        return this.claimed.fingerprint === claim.fingerprint ? ok({ session: this.claimed.session }) : otherRequest
      },
      ...fakeCopies,
      patch: (change, actor) =>
        existing("patch", () => {
          this.actors.push(["patch", actor])
          this.info = changedInfo(this.info!, change)
          return info()
        }),
      ...fakeReverts,
      erase: (actor) =>
        existing("erase", () => {
          this.actors.push(["erase", actor])
          return ok({ id: this.id, deleted: true, deleted_at: "2026-01-01T00:00:00.000Z", events: 0, files: 0 })
        }),
      rebuild: () =>
        existing("rebuild", () => ok({ sessions: 1, messages: 2, parts: 3, costs: 4, turns: 6, hook_events: 5 })),
      submit: async ({ actor, ...args }) => {
        this.actors.push(["submit", actor])
        return this.submit(args)
      },
      wait: (turn) => existing("wait", () => ok(this.waiting ?? this.completed(turn))),
      turn: (turn) =>
        existing("turn", () => (this.submitted.some((one) => one.turn === turn) ? ok(this.turn(turn)) : missing)),
      turns: ({ limit }) =>
        existing("turns", () =>
          ok({ data: this.submitted.slice(0, limit).map((one) => this.turn(one.turn)), next_cursor: null }),
        ),
      oauthCallback: () => existing("oauthCallback", () => ok({ outcome: "unknown" as const })),
      stopTurn: () => existing("stopTurn", () => ok({ stopped: this.busy })),
      interrupt: () => existing("interrupt", () => ok({ interrupted: this.busy, still_queued: [] })),
      asks: () => existing("asks", () => ok([])),
      answer: (request_id, answer, actor) =>
        existing("answer", () => {
          this.actors.push(["answer", actor])
          this.answers.push(answer)
          return ok({ request_id, status: "settled", turn_id: "0192f0c1-2345-7abc-8def-0123456789ab" } as const)
        }),
      savedPermissions: () => existing("savedPermissions", () => ok({ saved: [] })),
      todos: () => existing("todos", () => ok({ todos: [] })),
      progress: () => existing("progress", () => ok({ text: "", updated_at: null })),
      putProgress: (text) => existing("putProgress", () => ok({ text, updated_at: "2026-01-01T00:00:00.000Z" })),
      commands: async () => ({ ok: true, value: { data: [], notices: [] } }),
      contextUsage: () =>
        existing("contextUsage", () =>
          ok(contextUsage({ model: "claude-opus-5-5", system: "", tools: [], messages: [], apiUsage: null })),
        ),
      cost: () => existing("cost", () => ok(costReport(new Accounting(() => undefined)))),
      tools: () => existing("tools", () => ok({ builtIn: ["Read"], mcp: [] })),
      toolCatalogue: () => existing("toolCatalogue", () => ok(this.catalogue)),
      cancelTool: () => existing("cancelTool", () => ok(false)),
      callTool: (name, _, actor) =>
        existing("callTool", () => {
          this.actors.push(["callTool", actor])
          return ok({ content: `${name} was called`, output: { called: name } })
        }),
      clientFrames: (client, frames, actor) =>
        existing("clientFrames", () => {
          this.actors.push(["clientFrames", actor])
          for (const frame of frames) this.frames.push({ client, frame })
          return ok({ accepted: frames.length })
        }),
      files: () =>
        existing("files", () => {
          const files = fileInfos(this.files)
          return ok({ files, next_cursor: null, limits: NO_LIMITS, used: { files: files.length, bytes: 0 } })
        }),
      rewind: ({ user_message_id }) =>
        existing(`rewind ${user_message_id}`, () => ok({ canRewind: true, filesChanged: [], skippedLinks: 0 })),
      diff: ({ from = null, to = null }) =>
        existing("diff", () =>
          ok({ from, to, files: [], unified: "diff --git\n", additions: 0, deletions: 0, truncated: false }),
        ),
      checkpoints: () => existing("checkpoints", () => ok({ checkpoints: [] })),
      fetch: async (input, init) => {
        const url = new URL(input)
        if (url.pathname === "/feed") return this.feed(url)
        const submission = new Headers(init?.headers).get(SUBMISSION_HEADER)
        if (submission !== null) return this.query(url, submission)
        if (url.pathname === "/events" || url.pathname === "/messages") return this.page(url)
        return url.pathname === "/socket" ? this.socket(url) : this.file(url, init)
      },
    }
  }
}

/** The namespace: one object per name, created when it is first named. */
export class FakeSessions implements SessionNamespace {
  readonly byName = new Map<string, FakeSession>()

  get(name: string): FakeSession {
    const known = this.byName.get(name) ?? new FakeSession(name)
    this.byName.set(name, known)
    return known
  }

  getByName(name: string): SessionStub {
    return this.get(name).stub()
  }
}
