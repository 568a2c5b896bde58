// One run of software that is built on the SDK, as recorded with the official process: its command line, the lines that it
// sent, the names of the lines that it received. Plays the software's part again, against a Perch server.
// Invariant: a line is sent when as many lines have arrived as when the software sent it; answers go to the ask at the recorded
// position.
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { TIMING } from "../../../../src/client/connection.ts"
import { PerchProcess } from "../../../../src/client/process.ts"
import { PerchServer } from "../../../../src/client/server.ts"
import recordings from "./recordings.json" with { type: "json" }

type Frame = Readonly<Record<string, unknown>>

interface Step {
  /** A line that the software sent. */
  readonly sent?: Frame
  /** The name of a line that it received. */
  readonly received?: string
}

export interface Recording {
  readonly package: string
  readonly scenario: string
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly script: ReadonlyArray<object>
  readonly frames: ReadonlyArray<Step>
}

// The file contains recordings.
export const RECORDINGS = recordings as unknown as ReadonlyArray<Recording>

const at = (frame: Frame, name: string): Frame => (frame[name] ?? {}) as Frame

export const nameOf = (frame: Frame): string => {
  const { type, subtype } = frame
  if (type === "stream_event") return `stream:${String(at(frame, "event")["type"])}`
  if (type === "control_request") return `request:${String(at(frame, "request")["subtype"])}`
  const { content } = at(frame, "message")
  const kind = Array.isArray(content) ? (content as ReadonlyArray<Frame>)[0]?.["type"] : subtype
  return kind === undefined ? String(type) : `${String(type)}:${String(kind)}`
}

/** The lines that the software awaits before it sends its next one. */
const isGate = (name: string): boolean =>
  /^(?:request|result|stream:content_block_delta|stream:message_stop)/.test(name)

/** Messages outside the conversation, which may arrive at any time: no test compares their position. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  "system:session_state_changed",
  "system:status",
  "system:thinking_tokens",
  "command_lifecycle",
  "keep_alive",
])

/**
 * The names of a conversation's lines, without the order that depends on the network: the deltas of one block are merged, and
 * what a call does while its answer still streams is moved after that answer.
 */
export const conversation = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept = names.filter((name) => !OTHER_NAMES.has(name) && !name.startsWith("control_"))
  const ordered: Array<string> = []
  const early: Array<string> = []
  let streams = false
  for (const name of kept) {
    if (streams && !/^(?:stream|assistant|result)/.test(name) && name !== "user:text") {
      early.push(name)
      continue
    }
    if (name === "stream:content_block_delta" && ordered.at(-1) === name) continue
    ordered.push(name)
    streams = name === "stream:message_stop" ? false : streams || name === "stream:message_start"
    if (!streams) ordered.push(...early.splice(0))
  }
  return [...ordered, ...early]
}

export const recordedNames = ({ frames }: Recording): ReadonlyArray<string> =>
  frames.flatMap(({ received }) => received ?? [])

/** Plays the recording until its result; returns every line that arrived. */
export const play = async (
  { argv, env, frames }: Recording,
  { url, key }: { readonly url: string; readonly key: string },
  script: string,
): Promise<ReadonlyArray<Frame>> => {
  const fresh = (text: string) => text.replaceAll("<script>", script).replaceAll("<uuid>", randomUUID())
  const abort = new AbortController()
  const spawn = { args: argv.map(fresh), cwd: "/workspace", env, signal: abort.signal }
  const run = new PerchProcess(new PerchServer(url, key), spawn, undefined, TIMING)
  const lines: Array<Frame> = []
  const asked: Array<string> = []
  let wake = () => {}
  const reader = createInterface({ input: run.stdout }).on("line", (line) => {
    const frame = JSON.parse(line) as Frame
    lines.push(frame)
    if (frame["type"] === "control_request") asked.push(String(frame["request_id"]))
    wake()
  })
  const names = () => lines.map(nameOf)
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise<void>((resolve) => void (wake = resolve))
  }
  const awaited = new Map<string, number>()
  for (const { sent, received } of frames) {
    if (received !== undefined && isGate(received)) awaited.set(received, (awaited.get(received) ?? 0) + 1)
    if (sent === undefined) continue
    await until(() => [...awaited].every(([name, count]) => names().filter((one) => one === name).length >= count))
    run.stdin.write(`${answering(fresh(JSON.stringify(sent)), asked)}\n`)
  }
  await until(() => names().some((name) => name.startsWith("result")))
  const isRead = once(reader, "close")
  run.stdin.end()
  // Its last lines may be read after it has exited.
  await Promise.all([new Promise((resolve) => run.once("exit", resolve)), isRead])
  return lines
}

/** `can_use_tool#2`: the second ask of the run. */
const answering = (line: string, asked: ReadonlyArray<string>): string =>
  line.replace(/"request_id":"\w+#(\d+)"/, (_, place) => `"request_id":"${asked[Number(place) - 1]}"`)
