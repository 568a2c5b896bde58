// Large prompts at every endpoint for prompts: each is accepted or refused with an alternative, and its session continues.
import { expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ControlSocket } from "../../support/server/control-socket.ts"
import { promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

type Prompt = string | ReadonlyArray<object>

const user = (content: Prompt) => ({
  type: "user",
  session_id: "",
  parent_tool_use_id: null,
  message: { role: "user", content },
})

interface Answered {
  readonly error?: object
}

const posted = async (route: string, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  (await perch.request("POST", route, { json, headers })).json() as Promise<Answered> // the route's answer or its error

const throughSocket = async (id: string, prompt: Prompt) => {
  const socket = await ControlSocket.open(shared, id)
  socket.send(user(prompt))
  const result = await socket.result()
  await socket.close()
  return result
}

/** Sends a prompt to an existing or a new session through one endpoint; returns the answer, which names the session. */
const DOORS: Readonly<Record<string, (id: string, prompt: Prompt) => Promise<unknown>>> = {
  "POST …/query": (id, prompt) => posted(`/v1/sessions/${id}/query`, { prompt }),
  "POST /v1/query": (_, prompt) => posted("/v1/query", { prompt }),
  "the socket": throughSocket,
  "POST …/events": async (id, prompt) => {
    const answer = await posted(`/v1/sessions/${id}/events`, { events: [{ payload: user(prompt) }] })
    return answer.error === undefined ? (await perch.eventsUntilResults(id, 1)).at(-1) : answer
  },
  perch_run: (session_id, prompt) => {
    const params = { name: "perch_run", arguments: { prompt, session_id } }
    const accept = "application/json, text/event-stream"
    return posted("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }, { accept })
  },
}

/** An image of this many million bytes. */
const image = (millions: number) => {
  const data = "A".repeat(Math.ceil((millions * 1e6) / 3) * 4)
  return { type: "image", source: { type: "base64", media_type: "image/png", data } }
}

const scripted = async () => {
  const name = scriptName("large")
  await api.set(name, [textAnswer("Taken."), textAnswer("Went on.")])
  return { name, id: await perch.createSession() }
}

const sentIn = async (name: string) => JSON.stringify((await api.requests(name))[0]?.body.messages)

it.each(Object.entries(DOORS))(
  "%s: 1 MB of text reaches the model, and 20 MB of images are refused",
  async (_, send) => {
    const { name, id } = await scripted()
    const long = `${promptFor(name)} ${"0123456789abcde\n".repeat(65_536)}`
    const taken = JSON.stringify(await send(id, long))
    expect(await sentIn(name)).toContain(JSON.stringify(long).slice(1, -1))
    const named = /"session_id":"([0-9a-f-]+)"/.exec(taken)?.[1]

    const refused = JSON.stringify(await send(named!, Array(4).fill(image(5))))
    expect(refused).toContain("than 20971520")
    expect(refused).toContain("PUT /v1/sessions/{id}/files/{path}")
    expect((await perch.query(named!, "go on")).at(-1)).toMatchObject({ result: "Went on." })
  },
)

it("the socket accepts as many images as HTTP, and refuses one that the model would reject", async () => {
  const { name, id } = await scripted()
  const large = await throughSocket(id, [{ type: "text", text: promptFor(name) }, image(5.5)])
  expect(JSON.stringify(large)).toContain("prompt[1]: an image has at most 5242880 bytes")
  const three = [{ type: "text", text: promptFor(name) }, ...Array(3).fill(image(4.5))]
  expect(await throughSocket(id, three)).toMatchObject({ result: "Taken." })
  expect((await sentIn(name)).length).toBeGreaterThan(18_000_000)
})
