// Who may access the runs of workflows, what their routes reject, and the limit of running runs.
import { randomUUID } from "node:crypto"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { promptFor, scriptName } from "../../support/session/scripts.ts"
import { emits, runsOf, runThatIs, startRun } from "../../support/signals/workflow-client.ts"

const shared = inject("shared")
const root = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const keyOf = async (tenant: string, scopes?: ReadonlyArray<string>): Promise<PerchClient> => {
  const json = { tenant, ...(scopes === undefined ? {} : { scopes }) }
  const { key } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  return root.withKey(key)
}

/** A claim whose debate ends at once: its agents have nothing to say. */
const quietClaim = async (): Promise<string> => {
  const name = scriptName("quiet")
  await api.set(name, [emits()])
  return promptFor(name)
}

interface Refused {
  readonly error: {
    readonly type: string
    readonly message: string
    readonly field?: string
    readonly issues?: ReadonlyArray<{ readonly field: string }>
  }
}

/** Every route of a run: method, path after the run's, and a body. */
const ROUTES: ReadonlyArray<readonly [string, string, unknown?]> = [
  ["GET", ""],
  ["GET", "/events"],
  ["GET", "/events/stream"],
  ["GET", "/state"],
  ["POST", "/signals", { name: "argument:made", payload: { text: "x" } }],
  ["POST", "/cancel"],
  ["DELETE", ""],
]

describe("two tenants", () => {
  it("see nothing of each other's runs, whatever they request", async () => {
    const [acme, globex] = [await keyOf(`a-${randomUUID()}`), await keyOf(`g-${randomUUID()}`)]
    const id = scriptName("own")
    const claim = await quietClaim()
    const made = await startRun(acme, "debate", { id, input: { claim } })
    await runThatIs(acme, made, "completed")
    for (const [method, path, json] of ROUTES) {
      const response = await globex.request(
        method,
        `${runsOf("debate")}/${id}${path}`,
        json === undefined ? {} : { json },
      )
      expect([method, path, response.status]).toEqual([method, path, 404])
      expect(await response.text()).not.toContain(claim)
    }
    const { data } = await globex.json<{ data: ReadonlyArray<unknown> }>("GET", runsOf("debate"))
    expect(data).toEqual([])
    // The same id is a different run.
    const other = await startRun(globex, "debate", { id, input: { claim: await quietClaim() } })
    await runThatIs(globex, other, "completed")
    expect((await acme.json<{ input: { claim: string } }>("GET", `${runsOf("debate")}/${id}`)).input.claim).toBe(claim)
  })

  it("can access a run only under its own workflow", async () => {
    const tenant = await keyOf(`w-${randomUUID()}`)
    const made = await startRun(tenant, "debate", { input: { claim: await quietClaim() } })
    for (const [method, path, json] of ROUTES) {
      if (path === "/signals") continue
      await tenant.json(method, `${runsOf("tasks")}/${made.id}${path}`, {
        status: 404,
        ...(json === undefined ? {} : { json }),
      })
    }
    await tenant.json("GET", runsOf("no-such"), { status: 404 })
    for (const [method, path] of [
      ["POST", runsOf("no-such")],
      ["GET", `${runsOf("no-such")}/${made.id}`],
    ] as const) {
      const { error } = await tenant.json<Refused>(method, path, {
        ...(method === "POST" ? { json: {} } : {}),
        status: 404,
      })
      expect(error.message).toBe("There is no workflow no-such. This server has debate, tasks.")
    }
  })
})

describe("a key", () => {
  it("needs the scope of each operation", async () => {
    const tenant = `s-${randomUUID()}`
    const reader = await keyOf(tenant, ["sessions:read"])
    const writer = await keyOf(tenant, ["sessions:write"])
    const made = await startRun(writer, "debate", { input: { claim: await quietClaim() } })
    for (const [method, path, json] of ROUTES) {
      const wrong = method === "GET" ? writer : reader
      const response = await wrong.request(
        method,
        `${runsOf("debate")}/${made.id}${path}`,
        json === undefined ? {} : { json },
      )
      expect([method, path, response.status]).toEqual([method, path, 403])
    }
    await reader.json("POST", runsOf("debate"), { json: {}, status: 403 })
    await writer.json("GET", "/v1/workflows", { status: 403 })
    const options = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }
    const refused = await writer.json<Refused>("POST", runsOf("debate"), { json: { options }, status: 403 })
    expect(refused.error.field).toBe("options.permissionMode")
  })
})

describe("a request is refused with its field", () => {
  it.each<readonly [unknown, string]>([
    [{ id: "" }, "id"],
    [{ id: "has a space" }, "id"],
    [{ id: "x".repeat(65) }, "id"],
    [{ input: null }, "input"],
    [{ input: { rounds: 9 } }, "input.rounds"],
    [{ input: { rounds: 1, speed: 2 } }, "input.speed"],
    [{ input: "x".repeat(300_000) }, "input"],
    [{ harness: "no-such" }, "harness"],
    [{ on_empty: "no-such" }, "on_empty"],
    [{ sessions: "no-such" }, "sessions"],
    [{ harness: "offline", sessions: "run" }, "sessions"],
    [{ agents: [] }, "agents"],
    [{ options: { maxTurns: 0 } }, "options.maxTurns"],
    [{ options: { noSuch: 1 } }, "options.noSuch"],
    [{ options: { outputFormat: { type: "json_schema", schema: { type: "object" } } } }, "options.outputFormat"],
    [{ options: { persistSession: false } }, "options.persistSession"],
    [[], ""],
  ])("that begins a run with %j", async (json, field) => {
    const { error } = await root.json<Refused>("POST", runsOf("debate"), { json, status: 400 })
    expect(error.issues?.map((issue) => issue.field) ?? [error.field]).toContain(field)
  })

  let run: string
  beforeAll(async () => {
    const { id } = await startRun(root, "debate", { input: { claim: await quietClaim() }, on_empty: "wait" })
    run = id
  })

  const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels))

  it.each<readonly [string, string, unknown, string]>([
    ["GET", "/events?after=-1", undefined, "after"],
    ["GET", "/events?after=x", undefined, "after"],
    ["GET", "/events?limit=0", undefined, "limit"],
    ["GET", "/events?limit=1001", undefined, "limit"],
    ["GET", "/events?name=", undefined, "name"],
    ["GET", `/events?name=${"*a".repeat(9)}`, undefined, "name"],
    ["GET", `/events?name=${"a".repeat(257)}`, undefined, "name"],
    ["GET", "/events/stream?name=a%20b", undefined, "name"],
    ["GET", "/events/stream?after=last", undefined, "after"],
    ["GET", "/state?at=", undefined, "at"],
    ["GET", "/state?at=x", undefined, "at"],
    ["GET", "/state?at=-1", undefined, "at"],
    ["GET", "/state?at=1.5", undefined, "at"],
    ["GET", "/state?at=100000", undefined, "at"],
    ["POST", "/signals", {}, "name"],
    ["POST", "/signals", [], ""],
    ["POST", "/signals", { name: "has space" }, "name"],
    ["POST", "/signals", { name: "a::b" }, "name"],
    ["POST", "/signals", { name: "workflow:end" }, "name"],
    ["POST", "/signals", { name: "workflow:start", payload: {} }, "name"],
    ["POST", "/signals", { name: "no-such", payload: {} }, "name"],
    ["POST", "/signals", { name: "constructor", payload: {} }, "name"],
    ["POST", "/signals", { name: "argument:made", payload: { text: 5 } }, "payload.text"],
    ["POST", "/signals", { name: "argument:made", payload: { text: "x", more: 1 } }, "payload.more"],
    ["POST", "/signals", { name: "argument:made", payload: null }, "payload"],
    ["POST", "/signals", { name: "argument:made" }, "payload.text"],
    ["POST", "/signals", { name: "argument:made", payload: { text: "x".repeat(300_000) } }, "payload"],
    ["POST", "/signals", { name: "argument:made", payload: { text: "x" }, source: { agent: "critic" } }, "source"],
  ])("%s %s", async (method, path, json, field) => {
    const route = `${runsOf("debate")}/${run}${path}`
    const response = await root.request(method, route, json === undefined ? {} : { json })
    const { error } = (await response.json()) as Refused // asserted below
    expect([response.status, error.issues?.[0]?.field ?? error.field]).toEqual([400, field])
    expect(error.message).not.toBe("")
  })

  it("POST /signals with a payload that is nested too deeply", async () => {
    const json = { name: "argument:made", payload: deep(101) }
    const { error } = await root.json<Refused>("POST", `${runsOf("debate")}/${run}/signals`, { json, status: 400 })
    expect(error.field).toMatch(/^payload(?:\[0\]){9}/)
  })
})

describe("a list of runs", () => {
  it("is read in pages, and by status", async () => {
    const tenant = await keyOf(`p-${randomUUID()}`)
    const claim = await quietClaim()
    const ids: Array<string> = []
    for (const on_empty of ["end", "wait", "end", "wait", "end"]) {
      const made = await startRun(tenant, "debate", { input: { claim }, on_empty })
      await runThatIs(tenant, made, on_empty === "end" ? "completed" : "waiting")
      ids.unshift(made.id)
    }
    interface Page {
      readonly data: ReadonlyArray<{ readonly id: string; readonly status: string }>
      readonly next_cursor: string | null
    }
    const pages = async (query: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
      const found: Array<ReadonlyArray<string>> = []
      for (let cursor: string | null = ""; cursor !== null;) {
        const from = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
        const page: Page = await tenant.json<Page>("GET", `${runsOf("debate")}?${query}${from}`)
        found.push(page.data.map(({ id }) => id))
        cursor = page.next_cursor
      }
      return found
    }
    expect(await pages("limit=2")).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
    // The list is updated after the runs.
    await expect.poll(() => pages("limit=10&status=waiting"), { timeout: 20_000 }).toEqual([[ids[1], ids[3]]])
    await tenant.json("GET", `${runsOf("debate")}?cursor=x`, { status: 400 })
    await tenant.json("GET", `${runsOf("debate")}?status=open`, { status: 400 })
  })
})

describe("an Idempotency-Key", () => {
  it("starts one run, and none for another request", async () => {
    const claim = await quietClaim()
    const headers = { "idempotency-key": randomUUID() }
    const begin = (json: unknown) => root.request("POST", runsOf("debate"), { json, headers })
    const [once, again] = [await begin({ input: { claim } }), await begin({ input: { claim } })]
    expect([once.status, again.status]).toEqual([201, 201])
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    const [first, second] = [await once.json(), await again.json()] as ReadonlyArray<{ id: string }> // runs
    expect(second?.id).toBe(first?.id)
    expect((await begin({ input: { claim, rounds: 1 } })).status).toBe(422)
  })

  it("does not take over a run of another request", async () => {
    const id = scriptName("taken")
    await startRun(root, "debate", { id, input: { claim: await quietClaim() } })
    const headers = { "idempotency-key": randomUUID() }
    const { error } = await root.json<Refused>("POST", runsOf("debate"), { json: { id }, headers, status: 409 })
    expect(error.message).toBe("a run with this id exists")
  })

  it("that was not used before gets a 409 for the id of a run that another key started", async () => {
    const id = scriptName("keyed")
    const claim = await quietClaim()
    const begin = (key: string, input: object) =>
      root.request("POST", runsOf("debate"), { json: { id, input }, headers: { "idempotency-key": key } })
    const [used, other] = [randomUUID(), randomUUID()]
    expect((await begin(used, { claim })).status).toBe(201)
    expect((await begin(used, { claim })).headers.get("idempotent-replayed")).toBe("true")
    expect((await begin(used, { claim, rounds: 1 })).status).toBe(422)
    for (const input of [{ claim }, { claim, rounds: 1 }]) expect((await begin(other, input)).status).toBe(409)
  })
})

it("a tenant has as many running runs as its limit allows", async () => {
  const tenant = `l-${randomUUID()}`
  const perch = await keyOf(tenant)
  await root.json("PUT", `/v1/admin/tenants/${tenant}/limits`, { json: { running_workflows: 2 } })
  const begin = async () =>
    perch.request("POST", runsOf("debate"), { json: { input: { claim: await quietClaim() }, on_empty: "wait" } })
  const made = await Promise.all(Array.from({ length: 5 }, begin))
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, 429, 429, 429])
  const going = made.find(({ status }) => status === 201)!
  const { id } = (await going.json()) as { id: string } // a run
  await perch.json("POST", `${runsOf("debate")}/${id}/cancel`)
  await expect.poll(async () => (await begin()).status, { timeout: 20_000 }).toBe(201)
})
