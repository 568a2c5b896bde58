// Valid frames and request bodies, one for each subtype and route, and their mutations.
// Invariant: everything that is sent names only addresses of this machine.
import { OTHER_FRAMES, REQUESTS, RESPONSES } from "../conformance/control-examples.ts"
import { mutated, mutatedText, textOf } from "./mutations.ts"
import { below, pick, type Random } from "./random.ts"

type Fields = Readonly<Record<string, unknown>>

/** The same value with addresses at which no server listens. */
const local = <A>(value: A): A =>
  JSON.parse(JSON.stringify(value).replaceAll(/https?:\/\/[\w.]+/g, "http://127.0.0.1:9")) as A // the same shape

/** A result schema would apply to every later turn of the session, so it is fuzzed in a session of its own. */
const withoutSchema = (request: Fields): Fields => {
  const { jsonSchema: _, ...others } = request
  return others
}

/** Every request of the control protocol. */
export const ANY_REQUEST: ReadonlyArray<Fields> = local<ReadonlyArray<Fields>>(REQUESTS).map(withoutSchema)

/** An `initialize` that sets a result schema. */
export const SCHEMA_REQUEST: ReadonlyArray<Fields> = [
  {
    subtype: "initialize",
    jsonSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: { type: "string", pattern: "^a+$", enum: ["a"] }, b: { $ref: "#/$defs/b" } },
      $defs: { b: { type: ["integer", "null"], minimum: 0 } },
      required: ["a"],
      additionalProperties: false,
    },
  },
]

const user = (content: unknown): Fields => ({
  type: "user",
  session_id: "",
  parent_tool_use_id: null,
  uuid: "7a4a1e9c-6a0f-4f7e-9d57-0d5a7f3a1b2c",
  message: { role: "user", content },
})

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
const PROMPTS = [
  "hello",
  [
    { type: "text", text: "hello" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
  ],
]

const OTHER_EXAMPLES: ReadonlyArray<Fields> = [...local<ReadonlyArray<Fields>>(RESPONSES), ...OTHER_FRAMES]

/** The text of one frame. Half of the requests keep their subtype and id, so that they reach their handler. */
export const frameText = (random: Random, id: string, requests = ANY_REQUEST): string => {
  const kind = random()
  if (kind < 0.06) return textOf(random, mutated(random, user(pick(random, PROMPTS))))
  if (kind < 0.12) return textOf(random, mutated(random, pick(random, OTHER_EXAMPLES)))
  const request = pick(random, requests)
  const frame = { type: "control_request", request_id: id, request }
  if (kind < 0.56) {
    const wrong = mutated(random, request)
    const kept = typeof wrong === "object" && wrong !== null ? { ...wrong, subtype: request["subtype"] } : wrong
    return textOf(random, { ...frame, request: kept })
  }
  const text = textOf(random, mutated(random, frame))
  return random() < 0.3 ? mutatedText(random, text) : text
}

/** Cuts lines into WebSocket messages: one each, several in one, or a line in two. */
export const messagesOf = (random: Random, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const text = lines.map((line) => `${line}${pick(random, ["\n", "\n", "\n", "\r\n", "\n\n"])}`)
  const way = random()
  if (way < 0.5) return text
  const whole = text.join("")
  if (way < 0.75) return [whole]
  const cuts = [below(random, whole.length), below(random, whole.length)].toSorted((a, b) => a - b)
  return [whole.slice(0, cuts[0]), whole.slice(cuts[0], cuts[1]), whole.slice(cuts[1])].filter((part) => part !== "")
}

/** The ids of the frames in a text that must be answered, as often as each occurs. */
export const usableIds = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => {
    const frame = parsed(line)
    if (typeof frame !== "object" || frame === null || Array.isArray(frame)) return []
    const { type, request_id: id } = frame as Fields // an object
    return type === "control_request" && typeof id === "string" && id.length <= 200 ? [id] : []
  })

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

export interface RestExample {
  readonly method: string
  readonly path: (session: string) => string
  readonly body: unknown
}

const OPTIONS = {
  model: "claude-opus-5-5",
  permissionMode: "default",
  allowedTools: ["Read", "Bash(ls *)"],
  disallowedTools: ["Bash(rm *)"],
  systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief." },
  settings: { permissions: { allow: ["Read(/workspace/**)"], deny: ["Read(/workspace/secret/**)"] } },
  toolAliases: { Bash: "mcp__a__b" },
  hooks: { PreToolUse: [{ matcher: "Bash", timeout: 5, hooks: [{ type: "http", url: "http://127.0.0.1:9/hook" }] }] },
  thinking: { type: "enabled", budgetTokens: 1024 },
  maxTurns: 3,
  maxBudgetUsd: 1,
  ask_timeout_ms: 1000,
  includePartialMessages: true,
}

const NO_SESSION = "5f3a4c9e-3a41-4f0e-8f5c-1d2f4b6a7c8d"

/** A valid body of every route that accepts one. */
export const REST_EXAMPLES: ReadonlyArray<RestExample> = [
  {
    method: "POST",
    path: () => "/v1/sessions",
    body: { id: NO_SESSION, cwd: "/workspace", title: "t", metadata: { a: "b" }, options: OPTIONS },
  },
  {
    method: "PATCH",
    path: (id) => `/v1/sessions/${id}`,
    body: { title: "t", metadata: { a: "b" }, permissionMode: "default", options: { maxTurns: 3, model: "m" } },
  },
  { method: "POST", path: (id) => `/v1/sessions/${id}/tickets`, body: { ttl_seconds: 60, scopes: ["stream"] } },
  { method: "POST", path: () => "/v1/query", body: { prompt: PROMPTS[1], uuid: NO_SESSION, options: OPTIONS } },
  {
    method: "POST",
    path: (id) => `/v1/sessions/${id}/query`,
    body: { prompt: PROMPTS[1], uuid: NO_SESSION, on_busy: "queue", options: OPTIONS },
  },
  { method: "POST", path: (id) => `/v1/sessions/${id}/interrupt`, body: {} },
  {
    method: "POST",
    path: (id) => `/v1/sessions/${id}/events?client=rest`,
    body: { events: [{ payload: user("hello") }, { payload: { type: "keep_alive" } }] },
  },
  {
    method: "POST",
    path: (id) => `/v1/sessions/${id}/permissions/${NO_SESSION}`,
    body: { behavior: "allow", updatedInput: { a: 1 }, updatedPermissions: [{ type: "setMode", mode: "plan" }] },
  },
  {
    method: "POST",
    path: (id) => `/mcp?session=${id}`,
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "Read", arguments: { file_path: "/a" } } },
  },
  {
    method: "POST",
    path: (id) => `/mcp?session=${id}`,
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } },
    },
  },
  { method: "POST", path: () => "/v1/admin/keys", body: { tenant: "fuzz", label: "l" } },
]

/** The text of a request body. */
export const bodyText = (random: Random, { body }: RestExample): string => {
  const text = textOf(random, mutated(random, body))
  return random() < 0.2 ? mutatedText(random, text) : text
}
