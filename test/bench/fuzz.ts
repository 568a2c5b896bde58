// Sends mutated frames and bodies to a server; returns its faults.
// Invariant: a fault contains the text that causes it. The server owes each usable request exactly one answer, keeps the socket
// open, has no internal error, and runs a turn in the same session afterwards.
import { randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { eventually, PerchClient } from "../support/server/client.ts"
import { ControlSocket, type Frame } from "../support/server/control-socket.ts"
import { call, promptFor, scriptName, textAnswer } from "../support/session/scripts.ts"
import { ANY_REQUEST, bodyText, frameText, messagesOf, REST_EXAMPLES, usableIds } from "./fuzz-frames.ts"
import { below, pick, type Random } from "./random.ts"

export interface Fault {
  readonly what: string
  readonly text: string
}

export interface Fuzzed {
  readonly sums: Readonly<Record<string, number>>
  readonly faults: ReadonlyArray<Fault>
}

export interface FuzzedServer {
  readonly server: { readonly url: string; readonly key: string }
  /** Where scripts are set, in this process or over HTTP. */
  readonly api: { set(name: string, script: unknown): void | Promise<void> }
  readonly random: Random
}

const BATCH = 25
const ANSWERED_WITHIN_MS = 15_000

/** The answers of a well-behaved client. */
const answerTo = ({ request }: Frame): Readonly<Record<string, unknown>> => {
  if (request?.subtype === "can_use_tool") return { behavior: "allow" }
  if (request?.subtype !== "mcp_message") return {}
  const { id } = request["message"] as { readonly id?: number } // JSON-RPC
  return { mcp_response: { jsonrpc: "2.0", id: id ?? 0, error: { code: -32601, message: "no such method" } } }
}

interface Owed {
  readonly text: string
  count: number
}

/** Sends `count` mutated frames over one socket of a new session. */
export const fuzzSocket = async (
  { server, api, random }: FuzzedServer,
  count: number,
  requests: ReadonlyArray<Readonly<Record<string, unknown>>> = ANY_REQUEST,
): Promise<Fuzzed> => {
  const perch = new PerchClient(server)
  const session = await perch.createSession()
  const sums = { frames: 0, requests: 0, success: 0, error: 0 }
  const faults: Array<Fault> = []
  const owed = new Map<string, Owed>()
  const onFrame = (frame: Frame, socket: ControlSocket) => {
    if (frame.type === "control_request") return socket.answer(frame, answerTo(frame))
    if (frame.type !== "control_response" || frame.response === undefined) return
    const { request_id: id, subtype, error } = frame.response
    const request = owed.get(id)
    if (id.startsWith("sentinel")) return
    if (request === undefined || request.count === 0) {
      // A line without a usable id is answered under the empty one.
      if (id !== "") faults.push({ what: "an answer too many", text: request?.text ?? JSON.stringify(frame) })
      return
    }
    request.count -= 1
    sums[subtype] += 1
    if (error === "the request failed inside the server") faults.push({ what: "failed inside", text: request.text })
  }
  const socket = await ControlSocket.open(server, session, { onFrame })
  while (sums.frames < count && socket.closed === undefined) {
    const lines = Array.from({ length: Math.min(BATCH, count - sums.frames) }, () => {
      // Bytes are sent: unpaired surrogates do not survive the encoding.
      const line = Buffer.from(frameText(random, randomUUID(), requests)).toString()
      for (const id of usableIds(line)) {
        sums.requests += 1
        // Half a character in an escape arrives as U+FFFD.
        const known = owed.get(id.toWellFormed())
        owed.set(id.toWellFormed(), { text: line, count: (known?.count ?? 0) + 1 })
      }
      return line
    })
    sums.frames += lines.length
    for (const message of messagesOf(random, lines)) {
      // A decoder removes a byte order mark at the start of bytes.
      socket.raw(random() < 0.1 && !message.startsWith("\ufeff") ? Buffer.from(message) : message)
    }
    const missing = await unanswered(socket, owed)
    // It may have been closed meanwhile, although the loop's condition was true.
    const closed = socket.closed as ControlSocket["closed"]
    if (closed !== undefined) {
      const shortest = lines.toSorted((a, b) => a.length - b.length)[0] ?? ""
      faults.push({ what: `closed: ${closed.code} ${closed.reason}`, text: shortest })
    } else faults.push(...missing.map((line) => ({ what: "no answer", text: line })))
    owed.clear()
  }
  await socket.close()
  if (requests === ANY_REQUEST) faults.push(...(await turnFaults(server, api, session)))
  return { sums, faults }
}

/** The lines that are still unanswered when all should have an answer. */
const unanswered = async (socket: ControlSocket, owed: ReadonlyMap<string, Owed>): Promise<ReadonlyArray<string>> => {
  const deadline = Date.now() + ANSWERED_WITHIN_MS
  for (;;) {
    const missing = [...owed.values()].filter(({ count }) => count > 0)
    if (missing.length === 0 || socket.closed !== undefined || Date.now() > deadline) {
      return missing.map(({ text: line }) => line)
    }
    await delay(5)
  }
}

/** The faults of a turn that asks for permission to write a file, in a session that has received the frames above. */
const turnFaults = async (
  server: FuzzedServer["server"],
  api: FuzzedServer["api"],
  session: string,
): Promise<ReadonlyArray<Fault>> => {
  const perch = new PerchClient(server)
  const name = scriptName("after-fuzz")
  const path = `/workspace/${name}.txt`
  await api.set(name, [{ content: [call("Write", { file_path: path, content: "x" })] }, textAnswer("Done.")])
  try {
    await eventually(async () => {
      const { state } = await perch.json("GET", `/v1/sessions/${session}`)
      return state === "idle" ? state : undefined
    })
    const socket = await ControlSocket.open(server, session)
    await socket.request({ subtype: "initialize" })
    await socket.request({ subtype: "set_permission_mode", mode: "default" })
    socket.prompt(promptFor(name))
    socket.answer(await socket.asked("can_use_tool"), { behavior: "allow" })
    const result = await socket.result()
    await socket.close()
    if (result.subtype === "success" && (await perch.getFile(session, path)) === "x") return []
    return [{ what: "the turn afterwards", text: JSON.stringify(result) }]
  } catch (error) {
    return [{ what: "the turn afterwards", text: String(error) }]
  }
}

/** Sends `count` requests with mutated bodies, eight in parallel, for one session. */
export const fuzzRest = async ({ server, api, random }: FuzzedServer, count: number): Promise<Fuzzed> => {
  const perch = new PerchClient(server)
  const session = await perch.createSession()
  const sums: Record<string, number> = { bodies: 0 }
  const faults: Array<Fault> = []
  const sendOne = async () => {
    const example = pick(random, REST_EXAMPLES)
    const { method } = example
    const path = example.path(session)
    const body = Buffer.from(bodyText(random, example)).toString()
    const headers = {
      "content-type": "application/json",
      prefer: "respond-async",
      ...(path.startsWith("/mcp") ? { accept: "application/json, text/event-stream" } : {}),
    }
    const shown = `${method} ${path} ${body}`
    sums["bodies"] = (sums["bodies"] ?? 0) + 1
    try {
      const response = await perch.request(method, path, { body, headers })
      const answer = await response.text()
      const group = `${Math.floor(response.status / 100)}xx`
      sums[group] = (sums[group] ?? 0) + 1
      if (response.status >= 500) faults.push({ what: `${response.status} ${answer.slice(0, 200)}`, text: shown })
      else if (response.status >= 400 && !isErrorEnvelope(answer) && !path.startsWith("/mcp")) {
        faults.push({ what: `${response.status} without an error envelope`, text: shown })
      }
    } catch (error) {
      faults.push({ what: String(error), text: shown })
    }
  }
  let left = count
  const worker = async () => {
    for (; left > 0;) {
      left -= 1
      await sendOne()
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  faults.push(...(await turnFaults(server, api, session)))
  return { sums, faults }
}

const isErrorEnvelope = (text: string): boolean => {
  const body = JSON.parse(text) as { readonly type?: unknown; readonly error?: { readonly message?: unknown } }
  return body.type === "error" && typeof body.error?.message === "string"
}

/** One fault of each kind, with the shortest text that causes it. */
export const shortest = (faults: ReadonlyArray<Fault>): ReadonlyArray<Fault & { readonly times: number }> => {
  const kinds = Map.groupBy(faults, ({ what, text: line }) => `${what} ${/"subtype":"[\w]*"/.exec(line)?.[0] ?? ""}`)
  return [...kinds.values()].map((same) => {
    const [first] = same.toSorted((a, b) => a.text.length - b.text.length)
    return { ...first!, times: same.length } // a group has at least one member
  })
}

/** A new seed for a run without one. */
export const anySeed = (): number => below(Math.random, 2 ** 31)
