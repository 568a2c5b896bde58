// The work of a server while it is killed: sessions of several kinds, each driven by requests that may be repeated.
// Invariant: driving an interrupted job repeats requests and never makes new ones, so that each turn is requested once.
import { randomUUID } from "node:crypto"
import http from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import type { PerchClient } from "../support/server/client.ts"
import type { ScriptedApi } from "../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text } from "../support/session/scripts.ts"

/** Counts the requests that reach the outside world, by name. */
export class Counter {
  readonly counts = new Map<string, number>()
  readonly #server: http.Server
  /** Called for each call, before it is answered. */
  onCall: () => void = () => undefined

  private constructor(server: http.Server) {
    this.#server = server
  }

  static async start(): Promise<Counter> {
    const server = http.createServer()
    const counter = new Counter(server)
    server.on("request", (request, response) => {
      const name = (request.url ?? "").replace("/count/", "")
      counter.counts.set(name, (counter.counts.get(name) ?? 0) + 1)
      counter.onCall()
      // Long enough to be killed in the meantime.
      setTimeout(() => response.end("counted\n"), 60)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return counter
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/count`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

export type Kind = "text" | "write" | "outside" | "allow" | "deny" | "fork" | "model" | "hang" | "many"

export interface Turn {
  readonly uuid: string
  readonly prompt: string
  readonly options?: Readonly<Record<string, unknown>>
  /** The answer to the turn's ask. */
  readonly answer?: "allow" | "deny"
  /** The file that its Write creates, and its content. */
  readonly file?: { readonly path: string; readonly content: string; readonly call: string }
  /** Its effect outside, which happens at most once. */
  readonly outside?: { readonly name: string; readonly call: string }
}

export interface Job {
  readonly kind: Kind
  readonly session: string
  /** The session that it is a fork of. */
  readonly parent?: Job
  readonly options: Readonly<Record<string, unknown>>
  readonly turns: ReadonlyArray<Turn>
  made: boolean
  /** The number of turns that have ended. */
  ended: number
}

export const isDone = (job: Job): boolean => job.made && job.ended === job.turns.length

const BYPASS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }
const words = text("word ".repeat(30))
const slow = { chunk: 12, delta_delay_ms: 8 }
const done = { content: [text("Done.")] }
const failed = (status: number, type: string) => ({ error: { status, type } })

/** The faults of the model before it answers. */
const MODEL_FAULTS: ReadonlyArray<ReadonlyArray<Readonly<Record<string, unknown>>>> = [
  [failed(429, "rate_limit_error"), failed(529, "overloaded_error"), { content: [words] }],
  [failed(500, "api_error"), { content: [words], drop: { after: 4 } }, { content: [words] }],
  [{ content: [words], mid_error: { after: 5, type: "overloaded_error", message: "busy" } }, { content: [words] }],
  [{ content: [words], ends: { after: 4 } }, { content: [words] }],
  [{ error: { status: 200, body: "<html>this is no event stream</html>" } }, { content: [words] }],
  [{ error: { status: 502, body: "\u0000\u0001 garbage" } }, { content: [words] }],
]

export interface World {
  readonly api: ScriptedApi
  readonly counter: Counter
  readonly random: () => number
}

export const makeJob = ({ api, counter, random }: World, kind: Kind, parent?: Job): Job => {
  const session = randomUUID()
  const script = (turns: unknown): string => {
    const name = scriptName(kind)
    api.set(name, turns)
    return promptFor(name)
  }
  const plain = (turns: unknown): Turn => ({ uuid: randomUUID(), prompt: script(turns) })
  const writing = (answer?: "allow" | "deny"): Turn => {
    const name = randomUUID()
    const file = { path: `/workspace/${name}.txt`, content: `content of ${name}\n` }
    const write = call("Write", { file_path: file.path, content: file.content })
    const turn = plain([{ content: [words, write], ...slow }, done])
    return { ...turn, file: { ...file, call: write.id }, ...(answer === undefined ? {} : { answer }) }
  }
  const outside = (): Turn => {
    const name = randomUUID()
    const bash = call("Bash", { command: `curl -s ${counter.url}/${name} >> out.txt`, description: "Count" })
    return { ...plain([{ content: [words, bash], ...slow }, done]), outside: { name, call: bash.id } }
  }
  const hang = (): Turn => {
    const gate = `hang-${randomUUID()}`
    setTimeout(() => api.release(gate), 3_000).unref()
    return plain([{ content: [words], pause: { after: 4, gate } }])
  }
  const turnsOf: Readonly<Record<Kind, () => ReadonlyArray<Turn>>> = {
    text: () => [{ ...plain([{ content: [words], ...slow }]), options: { includePartialMessages: true } }],
    write: () => [writing(), writing()],
    outside: () => [outside()],
    allow: () => [writing("allow")],
    deny: () => [writing("deny")],
    fork: () => [writing()],
    model: () => [plain([MODEL_FAULTS[Math.floor(random() * MODEL_FAULTS.length)], done])],
    hang: () => [hang()],
    many: () => [plain([{ content: [words], ...slow }]), outside(), writing()],
  }
  const asks = kind === "allow" || kind === "deny"
  const options = asks ? { permissionMode: "default" } : { ...BYPASS, shell_network: true }
  const copied = parent === undefined ? {} : { parent }
  return { kind, session, options, turns: turnsOf[kind](), made: false, ended: 0, ...copied }
}

/** The body that requests a turn: a repetition is the same turn. */
export const bodyOf = ({ uuid, prompt, options }: Turn) => ({
  uuid,
  prompt,
  ...(options === undefined ? {} : { options }),
})

/** A request was refused in a way that no retry fixes. */
class Refused extends Error {}

/** Sends the job's remaining requests, one after the other; rejects when the server stops. */
export const drive = async (perch: PerchClient, job: Job, signal: AbortSignal): Promise<void> => {
  const send = async (method: string, path: string, json?: unknown): Promise<Response> => {
    const request = { ...(json === undefined ? {} : { json }), signal, limitMs: 60_000 }
    for (;;) {
      const response = await perch.request(method, path, {
        ...request,
        ...(path.endsWith("/query") ? { headers: { prefer: "respond-async" } } : {}),
      })
      // Retryable: the same request again.
      if (response.status < 500 && response.status !== 429) return response
      await response.body?.cancel()
      await delay(200, undefined, { signal })
    }
  }
  if (!job.made) {
    const { session, options, parent } = job
    const made =
      parent === undefined
        ? await send("POST", "/v1/sessions", { id: session, options })
        : await send("POST", `/v1/sessions/${parent.session}/fork`, { id: session })
    await made.body?.cancel()
    // 409: it was created, and the answer was lost.
    if (![200, 201, 409].includes(made.status)) throw new Refused(`making ${job.kind}: ${made.status}`)
    job.made = true
  }
  while (job.ended < job.turns.length) {
    const turn = job.turns[job.ended]! // there is one
    const sent = await send("POST", `/v1/sessions/${job.session}/query`, bodyOf(turn))
    const answer = await sent.text()
    if (sent.status >= 400) throw new Refused(`prompting ${job.kind}: ${sent.status} ${answer}`)
    for (let open = true; open;) {
      const asked = await send("GET", `/v1/sessions/${job.session}/turns/${turn.uuid}?wait=5`)
      const state = (await asked.json()) as { status: string; pending?: ReadonlyArray<{ request_id: string }> }
      for (const { request_id } of state.pending ?? []) {
        const answer = turn.answer === "deny" ? { behavior: "deny", message: "no" } : { behavior: "allow" }
        await (await send("POST", `/v1/sessions/${job.session}/permissions/${request_id}`, answer)).body?.cancel()
      }
      open = state.status === "running" || state.status === "queued" || state.status === "requires_action"
    }
    job.ended += 1
  }
}
