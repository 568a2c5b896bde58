// An app on the types that openapi-typescript generates from /openapi.json (`perch.ts`, written next to this file by the test):
// it opens a session, sends a prompt, answers the ask, waits for the turn, and reads messages and a file. It uses only `fetch`,
// prints what it received as JSON, and compiles with `--strict`.
import type { components, operations } from "./perch.ts"

type Shapes = components["schemas"]
type Operation = keyof operations
/** The JSON that an operation returns with a status. */
type Answer<O extends Operation, Status extends number> =
  operations[O]["responses"] extends Record<Status, { content: { "application/json": infer Body } }> ? Body : never
/** The JSON body that an operation accepts. */
type Body<O extends Operation> = operations[O] extends {
  requestBody: { content: { "application/json": infer Value } }
}
  ? Value
  : never

const { PERCH_URL = "", PERCH_KEY = "", PROMPT = "" } = process.env

class PerchError extends Error {
  readonly detail: Shapes["Error"]["error"]
  constructor({ error }: Shapes["Error"]) {
    super(`${error.type}: ${error.message}`)
    this.detail = error
  }
}

const send = async (method: string, path: string, body?: unknown): Promise<Response> => {
  const headers = { authorization: `Bearer ${PERCH_KEY}`, "content-type": "application/json" }
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const response = await fetch(new URL(path, PERCH_URL), init)
  if (!response.ok) throw new PerchError((await response.json()) as Shapes["Error"])
  return response
}

const create: Body<"createSession"> = { cwd: "/workspace", options: { permissionMode: "default", maxTurns: 5 } }
const session = (await (await send("POST", "/v1/sessions", create)).json()) as Answer<"createSession", 201>

const prompt: Body<"querySession"> = { prompt: [{ type: "text", text: PROMPT }], on_busy: "queue" }
const asked = await send("POST", `/v1/sessions/${session.id}/query`, prompt)
if (asked.status !== 202) throw new Error("nothing was asked")
const { turn_id, pending }: Answer<"querySession", 202> = await asked.json()
const [ask] = pending
if (ask === undefined) throw new Error("nothing is pending")

const allow: Body<"answerPermission"> = { behavior: "allow" }
await send("POST", `/v1/sessions/${session.id}/permissions/${ask.request_id}`, allow)

const waited = await send("GET", `/v1/sessions/${session.id}/turns/${turn_id}?wait=30`)
const turn: Answer<"getTurn", 200> = await waited.json()

/** A union of the document narrows by its discriminators, `type` and then `subtype`. */
const outcome = (result: Shapes["ResultMessage"]): string =>
  result.subtype === "success" ? result.result : result.errors.join("; ")

const linesOf = (message: Shapes["SDKMessage"]): ReadonlyArray<string> => {
  switch (message.type) {
    case "assistant":
      return message.message.content.flatMap((block) => {
        if (block.type === "text") return [`text ${block.text}`]
        return block.type === "tool_use" ? [`call ${block.name}`] : []
      })
    case "user":
      return ["user"]
    case "result":
      return [`result ${message.subtype} ${message.usage.output_tokens >= 0}`]
    case "system":
      return message.subtype === "init" ? [`init ${message.model}`] : [message.subtype]
    default:
      return [message.type]
  }
}

const page = await send("GET", `/v1/sessions/${session.id}/messages?format=sdk`)
const { messages }: Answer<"listMessages", 200> = await page.json()
const lines = messages.flatMap((message) => ("parts" in message ? [] : linesOf(message)))
const file = await (await send("GET", `/v1/sessions/${session.id}/files/workspace/plan.txt`)).text()

const misspelt = await send("POST", "/v1/query", { promt: "x" }).catch((error: unknown) => error)
if (!(misspelt instanceof PerchError)) throw new Error("a misspelt field was taken")

console.log(
  JSON.stringify({
    session: session.id,
    tool: ask.tool_name,
    status: turn.status,
    outcome: turn.result === null ? null : outcome(turn.result),
    lines,
    file,
    field: misspelt.detail.field,
  }),
)
