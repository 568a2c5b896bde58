// Every route while D1 is down: routes that need it fail with a retryable error, the others work as before.
import { afterEach, describe, expect, it, vi } from "vitest"
import { routes } from "../../../src/http/openapi/document.ts"
import type { Route } from "../../../src/http/route.ts"
import { SCOPES } from "../../../src/schemas/access.ts"
import { FakeQueue } from "../../support/session/fake-queue.ts"
import { type Call, type Envelope, makeApi, ROOT_KEY } from "../../http/api.ts"
import { noRecordings, noRuns } from "../../http/empty-namespaces.ts"

/** A tenant's stored definitions. */
const DEFINED = ["Agent", "Command", "McpServer", "Router"].flatMap((kind) => [
  `list${kind}s`,
  `create${kind}`,
  `get${kind}`,
  `put${kind}`,
  `delete${kind}`,
])

/** The routes that can't answer without D1: lists of sessions, the accounts of keys, and changes that must be audited. */
const NEED_D1: ReadonlySet<string> = new Set([
  "listSessions",
  "listCosts",
  "listHookEvents",
  "listDeadHookEvents",
  "redeliverHookEvent",
  "rotateWebhookSecret",
  "listWebhookSecrets",
  "createTicket",
  "createKey",
  "listKeys",
  "rollKey",
  "revokeKey",
  "listAudit",
  "exportSessions",
  "listRecordings",
  "createRecording",
  "uploadRecording",
  "listWorkflowRuns",
  "getConfig",
  "putConfig",
  "listTenantPermissions",
  "readyz",
  ...DEFINED,
])

const setUp = async () => {
  const api = makeApi({
    PERCH_ROOT_KEY: ROOT_KEY,
    HOOKS: new FakeQueue().queue,
    RECORDINGS: noRecordings,
    WORKFLOWS: noRuns,
  })
  const request = (row: Route, id: string): readonly [string, string, Call] => {
    const path = row.path
      .replace("{id}", id)
      .replace("{key_id}", "0123456789abcdef")
      .replace("{path}", "workspace/a.txt")
      .replace("{name}/runs", "debate/runs")
      .replace(/\{\w+\}/g, row.path.startsWith("/v1/routers") ? "default" : "x1")
    const sent = row.bytes === true ? { body: "x" } : row.example === undefined ? {} : { json: row.example }
    return [row.method.toUpperCase(), path, sent]
  }
  return { ...api, request }
}

/** Status and envelope of each route's answer, each in a separate server with one session. */
const answersOf = async (down: boolean) => {
  const answers = new Map<string, { readonly status: number; readonly retry: string | null; readonly text: string }>()
  for (const row of routes) {
    const api = await setUp()
    const id = await api.create()
    api.database.down = down
    const response = await api.call(...api.request(row, id))
    const streams = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    const text = streams ? "" : await response.text()
    if (streams) await response.body?.cancel()
    answers.set(row.id, { status: response.status, retry: response.headers.get("retry-after"), text })
  }
  return answers
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe(`the ${routes.length} routes while D1 is down`, () => {
  it("answer as before if they don't need it, and 503 with Retry-After if they do", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    const before = await answersOf(false)
    const during = await answersOf(true)
    for (const [id, { status, retry, text }] of during) {
      if (!NEED_D1.has(id)) {
        expect(`${id} ${status}`).toBe(`${id} ${before.get(id)?.status}`)
        continue
      }
      expect(`${id} ${status} ${retry}: ${text}`).toMatch(/^\w+ 503 5: /)
      const { type, error } = JSON.parse(text) as Envelope
      expect([type, error.type]).toEqual(["error", "service_unavailable_error"])
      expect(text).not.toMatch(/D1_ERROR|Network|SELECT|INSERT/)
    }
    expect([...NEED_D1].filter((id) => !during.has(id))).toEqual([])
  })

  it("accept a key that was checked within the last minute, and after that only the root key", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    const start = Date.now()
    vi.useFakeTimers({ toFake: ["Date"], now: start })
    const { makeKey, create, call, database } = await setUp()
    const { key } = await makeKey({ scopes: SCOPES })
    const { key: unseen } = await makeKey({ scopes: SCOPES })
    const id = await create({ key })
    database.down = true
    const read = (own: string) => call("GET", `/v1/sessions/${id}`, { key: own })
    for (const [after, status] of [
      [30_000, 200],
      [59_000, 200],
      [61_000, 503],
    ] as const) {
      vi.setSystemTime(start + after)
      const response = await read(key)
      expect(`${after}: ${response.status}`).toBe(`${after}: ${status}`)
      expect(response.headers.get("retry-after")).toBe(status === 200 ? null : "5")
    }
    expect((await read(unseen)).status).toBe(503)
    expect((await read("perch_acme_0123456789abcdef_nothing")).status).toBe(401)
    expect((await call("GET", "/v1/models")).status).toBe(200)
    database.down = false
    expect((await read(key)).status).toBe(200)
    expect((await read(unseen)).status).toBe(200)
  })
})
