// Deep, huge and unusual values at every position of every route that accepts JSON, and in paths, queries and headers: each is
// accepted or rejected, and none causes an internal error.
import { expect, it } from "vitest"
import { boundsOfValue } from "../../../src/schemas/bounded-json.ts"
import { DEEP_VALUES } from "../../support/values/deep-values.ts"
import { makeApi } from "../../http/api.ts"

const ID = "0199a000-0000-7000-8000-000000000001"

/** Bodies with a placeholder for the value, by route. */
const BODIES: ReadonlyArray<readonly [method: string, path: string, body: string]> = [
  ["POST", "/v1/sessions", "VALUE"],
  ["POST", "/v1/sessions", '{"metadata":VALUE}'],
  ["POST", "/v1/sessions", '{"options":{"outputFormat":{"type":"json_schema","schema":VALUE}}}'],
  ["POST", "/v1/sessions", '{"options":{"clientTools":[{"name":"t","description":"d","inputSchema":VALUE}]}}'],
  ["POST", "/v1/sessions", '{"options":{"settings":VALUE}}'],
  ["POST", "/v1/sessions", '{"history":[{"type":"user","message":{"role":"user","content":VALUE}}]}'],
  ["POST", "/v1/query", '{"prompt":[{"type":"text","text":"x","more":VALUE}]}'],
  ["POST", `/v1/sessions/${ID}/query`, '{"prompt":VALUE}'],
  ["PATCH", `/v1/sessions/${ID}`, '{"options":VALUE}'],
  ["POST", `/v1/sessions/${ID}/fork`, '{"metadata":VALUE}'],
  ["POST", `/v1/sessions/${ID}/events`, '{"events":[{"payload":{"type":"user","message":VALUE}}]}'],
  ["POST", `/v1/sessions/${ID}/permissions/ask`, '{"behavior":"allow","updatedInput":VALUE}'],
  ["POST", `/v1/sessions/${ID}/rewind`, '{"user_message_id":VALUE}'],
  ["POST", `/v1/sessions/${ID}/tickets`, '{"scopes":VALUE}'],
  [
    "POST",
    `/mcp?session=${ID}`,
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Read","arguments":VALUE}}',
  ],
  ["POST", "/v1/admin/keys", '{"tenant":"acme","label":VALUE}'],
]

const opened = async () => {
  const api = makeApi()
  await api.create({ json: { id: ID } })
  return api
}

it(`${DEEP_VALUES.length} values in ${BODIES.length} bodies are each accepted or rejected, and none beyond the limits is passed on`, async () => {
  const { call, sessions } = await opened()
  const failed: Array<string> = []
  for (const [method, path, body] of BODIES) {
    for (const { name, json, fault } of DEEP_VALUES) {
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
      const response = await call(method, path, { body: body.replace("VALUE", () => json), headers })
      const text = await response.text()
      const ok = fault === null ? response.status < 500 : response.status === 400 || response.status === 413
      if (!ok) failed.push(`${method} ${path} ${name}: ${response.status} ${text.slice(0, 200)}`)
    }
  }
  expect(failed).toEqual([])
  const { frames, answers, submitted, info } = sessions.get(`root/${ID}`)
  for (const taken of [...frames, ...answers, ...submitted, info]) expect(boundsOfValue(taken)).toBeNull()
})

it("the same values in paths, queries and headers are accepted or rejected", async () => {
  const { call } = await opened()
  const failed: Array<string> = []
  const places: ReadonlyArray<(text: string) => readonly [path: string, headers?: Record<string, string>]> = [
    (text) => [`/v1/sessions/${encodeURIComponent(text)}`],
    (text) => [`/v1/sessions/${ID}/permissions/${encodeURIComponent(text)}`],
    (text) => [`/v1/sessions?cursor=${encodeURIComponent(text)}`],
    (text) => [`/v1/sessions?cursor=${Buffer.from(text).toString("base64url")}`],
    (text) => [`/v1/sessions/${ID}/events?after=${encodeURIComponent(text)}`],
    (text) => [`/v1/sessions/${ID}/events?limit=${encodeURIComponent(text)}&order=${encodeURIComponent(text)}`],
    (text) => [`/v1/sessions/${ID}/events?name=${encodeURIComponent(text)}`],
    (text) => [`/v1/sessions/${ID}/messages?after=${encodeURIComponent(text)}`],
    (text) => [`/v1/sessions/${ID}/files?prefix=${encodeURIComponent(text)}&cursor=${encodeURIComponent(text)}`],
    (text) => [`/v1/sessions/${ID}/diff?from=${encodeURIComponent(text)}`],
    (text) => [`/v1/costs?from=${encodeURIComponent(text)}`],
    (text) => [`/v1/sessions/${ID}/events/stream`, { "last-event-id": text.replaceAll(/[^ -~]/g, "?") }],
    (text) => [`/v1/sessions/${ID}`, { "idempotency-key": text.replaceAll(/[^ -~]/g, "?") }],
    (text) => [`/v1/sessions/${ID}`, { authorization: `Bearer ${text.replaceAll(/[^ -~]/g, "?")}` }],
    (text) => [`/v1/sessions/${ID}/events/stream?ticket=${encodeURIComponent(text)}`],
  ]
  for (const { name, json } of DEEP_VALUES) {
    for (const [index, place] of places.entries()) {
      // URLs and header lines have a maximum length: longer ones never arrive here.
      const [path, headers = {}] = place(json.slice(0, 8000).replaceAll(/[\ud800-\udfff]/g, "?"))
      const response = await call("GET", path, { headers })
      await response.body?.cancel()
      if (response.status >= 500) failed.push(`${index} ${name}: ${response.status}`)
    }
  }
  expect(failed).toEqual([])
})
