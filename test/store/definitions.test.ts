// A tenant's stored definitions: one value per name, limited in size, and a version that every change increments.
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import {
  definitionsVersion,
  deleteDefinition,
  listDefinitions,
  loadDefinitions,
  type NewDefinition,
  putDefinition,
  readDefinition,
} from "../../src/store/definitions.ts"
import { SqliteD1 } from "../support/session/sqlite-d1.ts"

let database = new SqliteD1()
beforeEach(() => {
  database = new SqliteD1()
})

const put = (change: Partial<NewDefinition> = {}, only?: "create") => {
  const whole = { tenant: "acme", kind: "agent" as const, name: "a", value: { n: 1 }, sealed: null, at: 5, ...change }
  return Effect.runPromise(putDefinition(database.d1, whole, only))
}
const version = (tenant = "acme") => Effect.runPromise(definitionsVersion(database.d1, tenant))

describe("a definition", () => {
  it("is created, replaced and read, and keeps its creation time", async () => {
    expect(await put()).toMatchObject({ state: "created", version: 1 })
    expect(await put({ value: { n: 2 }, at: 9 })).toMatchObject({ state: "replaced", version: 2 })
    const key = { tenant: "acme", kind: "agent" as const, name: "a" }
    expect(await Effect.runPromise(readDefinition(database.d1, key))).toEqual({
      name: "a",
      value: { n: 2 },
      sealed: null,
      createdAt: 5,
      updatedAt: 9,
    })
  })

  it("is not replaced by a write that only creates", async () => {
    await put()
    expect(await put({ value: { n: 2 } }, "create")).toEqual({ state: "exists" })
    const [only] = await Effect.runPromise(listDefinitions(database.d1, "acme", "agent"))
    expect(only).toMatchObject({ value: { n: 1 } })
  })

  it("belongs to one tenant and one kind", async () => {
    await put()
    await put({ tenant: "other", value: { n: 3 } })
    await put({ kind: "command", value: { n: 4 } })
    expect(await Effect.runPromise(listDefinitions(database.d1, "acme", "agent"))).toHaveLength(1)
    const loaded = await Effect.runPromise(loadDefinitions(database.d1, "acme"))
    expect(loaded).toEqual({ version: 2, values: { agent: { a: { n: 1 } }, command: { a: { n: 4 } } }, sealed: {} })
    expect(await version("other")).toBe(1)
  })

  it("is removed once, and the version increases", async () => {
    await put()
    const key = { tenant: "acme", kind: "agent" as const, name: "a" }
    expect(await Effect.runPromise(deleteDefinition(database.d1, key))).toBe(2)
    expect(await Effect.runPromise(deleteDefinition(database.d1, key))).toBeNull()
    expect(await Effect.runPromise(readDefinition(database.d1, key))).toBeNull()
    expect(await version()).toBeGreaterThanOrEqual(2)
  })

  it("has its secrets stored separately", async () => {
    await put({ kind: "mcp_server", sealed: "c2VjcmV0" })
    const loaded = await Effect.runPromise(loadDefinitions(database.d1, "acme"))
    expect(loaded.sealed).toEqual({ mcp_server: { a: "c2VjcmV0" } })
  })
})

describe("a tenant's definitions", () => {
  it("have the version 0 before the first", async () => {
    expect(await version()).toBe(0)
    expect(await Effect.runPromise(loadDefinitions(database.d1, "acme"))).toEqual({
      version: 0,
      values: {},
      sealed: {},
    })
  })

  it("are at most 50 agents, each of which can still be replaced", async () => {
    for (let at = 0; at < 50; at++) expect(await put({ name: `a${at}` })).toMatchObject({ state: "created" })
    expect(await put({ name: "one-more" })).toEqual({ state: "full" })
    expect(await put({ name: "a7", value: { n: 7 } })).toMatchObject({ state: "replaced" })
  })

  it("have at most a million bytes in total", async () => {
    const large = { text: "é".repeat(240_000) }
    expect(await put({ name: "a", value: large })).toMatchObject({ state: "created" })
    expect(await put({ name: "b", value: large })).toMatchObject({ state: "created" })
    expect(await put({ name: "c", value: large })).toEqual({ state: "full" })
    expect(await put({ name: "a", value: large })).toMatchObject({ state: "replaced" })
  })
})
