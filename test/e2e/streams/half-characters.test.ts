// Half of a character (a lone surrogate) at every input of a real server: each reader receives the same U+FFFD, and a character
// that a stream splits is restored.
import { expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const root = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const HALVES = "a\ud800b\udc00\ud83d"
const SHOWN = "a\ufffdb\ufffd\ufffd"

it("is the same in a session, its list, its log, its messages, its streams, its files and its requests", async () => {
  const name = scriptName("halves")
  // A new tenant: in the meantime others may create more sessions than a page of the list has.
  const json = { tenant: name, scopes: ["sessions:read", "sessions:write", "files", "bypass"] }
  const perch = root.withKey((await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })).key)
  const smile = "\u{1f600}".repeat(20)
  await api.set(name, [
    { content: [text(smile + HALVES), call("Write", { file_path: "/workspace/x.txt", content: HALVES })], chunk: 1 },
    { content: [call("Bash", { command: `printf '%s' '${HALVES}'` })] },
    textAnswer("Done."),
  ])
  const id = await perch.createSession({ permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true })
  const patch = { title: `${HALVES}\u{1f600}`, metadata: { [`k${HALVES}`]: HALVES } }
  const changed = { title: `${SHOWN}\u{1f600}`, metadata: { [`k${SHOWN}`]: SHOWN } }
  expect(await perch.json("PATCH", `/v1/sessions/${id}`, { json: patch })).toMatchObject(changed)
  expect(await perch.json("GET", `/v1/sessions/${id}`)).toMatchObject(changed)
  const streamed = await perch.query(id, `${promptFor(name)} ${HALVES}`)
  const listed = await eventually(async () => {
    const { data } = await perch.json<{ data: ReadonlyArray<{ id: string; title: string; turns: number }> }>(
      "GET",
      "/v1/sessions?limit=100",
    )
    return data.find((session) => session.id === id && session.turns === 1)
  })
  expect(listed).toMatchObject(changed)
  const log = await (await perch.request("GET", `/v1/sessions/${id}/events?limit=500`)).text()
  const messages = await (await perch.request("GET", `/v1/sessions/${id}/messages`)).text()
  const sdk = await (await perch.request("GET", `/v1/sessions/${id}/messages?format=sdk`)).text()
  for (const body of [log, messages, sdk, JSON.stringify(streamed)]) {
    expect(body).not.toMatch(/\\u[dD][89a-fA-F]/)
    expect(body).toContain(smile + SHOWN)
  }
  for (const body of [log, messages, sdk]) expect(body).toContain(`go ${SHOWN}`)
  expect(log).toContain(JSON.stringify(changed).slice(1, -1))
  const file = await perch.request("GET", `/v1/sessions/${id}/files/workspace/x.txt`)
  expect(await file.text()).toBe(SHOWN)
  const requests = JSON.stringify((await api.requests(name)).map(({ body }) => body))
  expect(requests).not.toMatch(/\\u[dD][89a-fA-F]/)
  expect(requests).toContain(`go ${SHOWN}`)
  const replayed = await perch.stream(id, { after: 0, until: (message) => message.type === "result" })
  expect(JSON.stringify(replayed)).not.toMatch(/\\u[dD][89a-fA-F]/)
})
