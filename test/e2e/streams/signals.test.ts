// A session's log as signals over HTTP: in pages and live, and invalid requests.
import * as Schema from "effect/Schema"
import { expect, inject, it } from "vitest"
import { Signal } from "../../../src/schemas/signal.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const decode = Schema.decodeUnknownSync(Schema.Array(Signal))

const get = (path: string) =>
  fetch(`${shared.url}${path}`, {
    headers: { authorization: `Bearer ${shared.key}` },
    signal: AbortSignal.timeout(30_000),
  })

/** The `data:` of a stream until one has the name. */
const streamed = async (path: string, last: string): Promise<ReadonlyArray<unknown>> => {
  const { body } = await get(path)
  const data: Array<{ readonly name?: string }> = []
  let rest = ""
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.startsWith("data: ")) data.push(JSON.parse(line.slice(6)) as { name?: string })
    if (data.some(({ name }) => name === last)) return data
  }
  throw new Error("the stream ended before the signal came")
}

it("each event is a signal, on pages and on the stream, and a pattern selects among them", async () => {
  const name = scriptName("signals")
  await api.set(name, [textAnswer("Hello.")])
  const id = await perch.createSession({})
  const stream = streamed(`/v1/sessions/${id}/events/stream?format=signal`, "sdk:result:success")
  await perch.query(id, promptFor(name))
  const live = decode(await stream)
  const page = (await (await get(`/v1/sessions/${id}/events?format=signal&limit=1000`)).json()) as { signals: unknown }
  const paged = decode(page.signals)
  expect(live).toEqual(paged.slice(0, live.length))
  expect(live.map((signal) => signal.name)).toEqual(expect.arrayContaining(["session:created", "turn:queued"]))
  const results = await streamed(
    `/v1/sessions/${id}/events/stream?format=signal&name=sdk:result/*`,
    "sdk:result:success",
  )
  expect(results).toEqual(paged.filter((signal) => signal.name === "sdk:result:success"))
  const some = await get(`/v1/sessions/${id}/events?name=sdk:**:success`)
  expect(await some.json()).toMatchObject({ events: [{ name: "sdk:result/success" }], has_more: false })
})

it("a pattern with too many stars, and parameters that the format does not use, are rejected by name", async () => {
  const id = await perch.createSession({})
  for (const [path, field] of [
    ["events?name=*:*:*:*:*:*:*:*:*", "name"],
    [`events?name=${"a".repeat(257)}`, "name"],
    ["events?format=signal&name=[a]*", "name"],
    ["events/stream?format=signal&partials=true", "partials"],
    ["events/stream?format=signal&client=a", "client"],
    ["events/stream?name=sdk:*", "name"],
  ]) {
    const answer = await get(`/v1/sessions/${id}/${path}`)
    expect([answer.status, ((await answer.json()) as { error: unknown }).error]).toMatchObject([400, { field }])
  }
})
