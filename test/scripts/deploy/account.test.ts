// Names that are taken by resources that do not belong to Perch are refused before anything is written.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { deployments } from "../../support/cloudflare/deployments.ts"
import { ACCOUNT, type AccountState } from "../../support/cloudflare/state.ts"

const here = deployments()
const { cloudflare, run } = here
const writes = () => cloudflare.calls.filter((call) => !call.startsWith("GET") && !call.endsWith("/query"))

const CLASHES: ReadonlyArray<[name: string, set: (state: AccountState) => void, message: RegExp]> = [
  [
    "a Worker of that name that is not Perch",
    (state) => void state.addWorker("perch", [{ name: "KV", type: "kv_namespace" }]),
    /has a Worker perch that is not Perch\./,
  ],
  [
    "a database of that name with other tables",
    (state) => state.addDatabase("perch").sql.exec("CREATE TABLE customers (id TEXT)"),
    /D1 database perch with tables that are not Perch's\./,
  ],
  [
    "a database with the migrations of another project",
    (state) =>
      state
        .addDatabase("perch")
        .sql.exec(
          "CREATE TABLE d1_migrations (id INTEGER, name TEXT); CREATE TABLE birds (id TEXT); INSERT INTO d1_migrations VALUES (1, '0001_birds.sql')",
        ),
    /with tables that are not Perch's\./,
  ],
  [
    "a queue of that name that another Worker consumes",
    (state) =>
      void state
        .addQueue("perch-hooks")
        .consumers.push({ consumer_id: "c", type: "worker", script: "mailer", settings: {} }),
    /queue perch-hooks is consumed by mailer, not by perch\./,
  ],
]

it.each(CLASHES)("%s", async (_, set, message) => {
  set(cloudflare.state)
  const { error } = await run()
  expect(error?.message).toMatch(message)
  expect(error?.advice).toContain("--name NAME")
  expect(writes()).toEqual([])
})

it("an empty database and queues of those names are used", async () => {
  const { uuid } = cloudflare.state.addDatabase("perch")
  cloudflare.state.addDatabase("perch-of-others")
  cloudflare.state.addQueue("perch-hooks")
  const { text, error } = await run()
  expect(error).toBeUndefined()
  expect(text).toContain("keep    D1 database perch")
  expect(fs.readFileSync(path.join(here.root, "wrangler.perch.toml"), "utf8")).toContain(uuid)
  expect(cloudflare.state.databases).toHaveLength(2)
})

it("a database on a later page of the list is found and not created again", async () => {
  cloudflare.state.databaseLimit = 200
  for (let count = 0; count < 60; count += 1) cloudflare.state.addDatabase(`perch-${count}`)
  cloudflare.state.addDatabase("perch")
  expect((await run()).error).toBeUndefined()
  expect(cloudflare.state.databases).toHaveLength(61)
})

it("the draft that `wrangler secret put` creates belongs to Perch, and its root key stays", async () => {
  const worker = cloudflare.state.addWorker("perch", [])
  worker.secrets.set("PERCH_ROOT_KEY", "a-root-key-that-the-user-set-before")
  const { text, error } = await run()
  expect(error).toBeUndefined()
  expect(text).toContain("keep    secret PERCH_ROOT_KEY")
  expect(worker.secrets.get("PERCH_ROOT_KEY")).toBe("a-root-key-that-the-user-set-before")
})

it("the id in wrangler.toml selects the database, and one that the account lacks is an error", async () => {
  const { uuid } = cloudflare.state.addDatabase("named-otherwise")
  const file = path.join(here.root, "wrangler.toml")
  const write = (id: string) =>
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/^database_id = ".*"$/m, `database_id = "${id}"`))
  write(uuid)
  expect((await run()).error).toBeUndefined()
  expect(cloudflare.state.databases).toHaveLength(1)
  write("11111111-2222-3333-4444-555555555555")
  expect((await run()).error?.message).toMatch(/and the account has none with that id\./)
})

it("several accounts are listed, and the given one is used", async () => {
  cloudflare.accounts = [...cloudflare.accounts, { id: "f".repeat(32), name: "South" }]
  const { error } = await run()
  expect(error?.message).toContain(`${ACCOUNT} (North), ${"f".repeat(32)} (South)`)
  expect(error?.advice).toContain("CLOUDFLARE_ACCOUNT_ID")
  expect((await run({ env: { CLOUDFLARE_ACCOUNT_ID: ACCOUNT } })).error).toBeUndefined()
})

it("in Workers Builds the existing Worker is replaced, and a missing root key is left to the dashboard", async () => {
  cloudflare.state.addWorker("perch", [{ name: "PLACEHOLDER", type: "plain_text" }])
  const { text, error } = await run({ env: { CI: "true", WORKERS_CI: "1", WRANGLER_CI_OVERRIDE_NAME: "perch" } })
  expect(error).toBeUndefined()
  expect(text).toContain("the API answers 503 until PERCH_ROOT_KEY is set")
  expect([...(cloudflare.state.workers.get("perch")?.secrets.keys() ?? [])]).toEqual([])
})
