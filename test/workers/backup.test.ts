// Backups of sessions between real objects: all pages are of one moment, and what a restore rejects.
import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, it } from "vitest"
import { SessionMemory } from "../../src/agent/transcript/projection.ts"
import type { BackupPage } from "../../src/schemas/api/backup.ts"
import type { NewSession } from "../../src/schemas/rpc/session.ts"
import { FoldCheckpoint } from "../../src/session/storage/fold-checkpoint.ts"
import type { SessionObject } from "../../src/session/session-object.ts"
import { open, run, type Stub } from "./session-stub.ts"

const SESSION: NewSession = {
  cwd: "/workspace",
  title: "T",
  metadata: { a: "b" },
  options: { permissionMode: "acceptEdits" },
}

const created = async () => {
  const opened = open()
  await opened.rpc.create({ session: SESSION })
  await run(opened.rpc, "create a.txt with alpha")
  return opened
}

const pagesOf = async (rpc: Stub): Promise<ReadonlyArray<BackupPage>> => {
  const pages: Array<BackupPage> = []
  for (let cursor: string | null = null; ;) {
    const page: Awaited<ReturnType<Stub["backupPage"]>> = await rpc.backupPage(cursor)
    if (!page.ok) throw new Error(page.error.message)
    pages.push(page.value)
    cursor = page.value.next_cursor
    if (cursor === null) return pages
  }
}

/** The rows of a table, over all pages. */
const rows = (pages: ReadonlyArray<BackupPage>, table: string) =>
  pages.flatMap(({ tables }) => tables.filter(({ name }) => name === table).flatMap((one) => one.rows))

const restore = async (rpc: Stub, pages: ReadonlyArray<BackupPage>) => {
  for (const page of pages.slice(0, -1)) {
    const written = await rpc.restorePage(page)
    if (!written.ok) return written
  }
  return rpc.restorePage(pages.at(-1)!)
}

const change = (
  page: BackupPage,
  table: string,
  to: (row: ReadonlyArray<unknown>) => ReadonlyArray<unknown> | null,
): BackupPage => ({
  ...page,
  tables: page.tables.map((one) =>
    one.name === table
      ? { ...one, rows: one.rows.flatMap((row) => (to(row) === null ? [] : [to(row)])) as typeof one.rows }
      : one,
  ),
})

describe("a backup", () => {
  it("of a recorded session has its recording", async () => {
    const source = open()
    const options = { ...SESSION.options, runtime: { mode: "record" as const } }
    await source.rpc.create({ session: { ...SESSION, options } })
    await run(source.rpc, "create a.txt with alpha")
    const copy = open(source.id, "other")
    expect(await restore(copy.rpc, await pagesOf(source.rpc))).toMatchObject({ ok: true })
    const signals = await copy.rpc.recordedPage(null)
    if (!signals.ok || signals.value.next === null) throw new Error("the answers are on a page of their own")
    const answers = await source.rpc.recordedPage(signals.value.next)
    expect(answers).toMatchObject({ ok: true, value: { answers: [{ kind: "model" }, { kind: "model" }] } })
    expect(await copy.rpc.recordedPage(signals.value.next)).toEqual(answers)
  })

  it("has every row of a session, and is restored for another tenant unchanged", async () => {
    const source = await created()
    const large = new Uint8Array(5_000_000).map((_, index) => index % 251)
    await source.rpc.fetch("http://session/files/workspace/large.bin", { method: "PUT", body: large })
    const pages = await pagesOf(source.rpc)
    expect(pages.length).toBeGreaterThan(4)
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(4 << 20)
    expect(new Set(pages.map(({ revision }) => revision)).size).toBe(1)
    const target = open(source.id, "elsewhere")
    expect(await restore(target.rpc, pages)).toMatchObject({
      ok: true,
      value: { complete: true, events: pages[0]?.through },
    })
    await evictDurableObject(target.object)
    const again = await pagesOf(target.rpc)
    for (const table of ["events", "inbox", "files", "blobs", "checkpoints", "file_versions", "asks", "tool_runs"]) {
      expect(rows(again, table), table).toEqual(rows(pages, table))
    }
    const copied = await target.rpc.fetch("http://session/files/workspace/large.bin")
    expect(new Uint8Array(await copied.arrayBuffer())).toEqual(large)
    await run(target.rpc, "read a.txt")
    const row = () =>
      env.DB.prepare("SELECT tenant FROM sessions WHERE session_id = ? AND tenant = 'elsewhere'")
        .bind(source.id)
        .first()
    while ((await row()) === null) await scheduler.wait(20)
  })

  it("of a long session leaves out the checkpoint of its fold; a backup of an earlier version that has it is restored", async () => {
    const source = await created()
    await runInDurableObject(source.object, (_: object, { storage }: DurableObjectState) => {
      new FoldCheckpoint(storage.sql, (write) => storage.transactionSync(write)).write(
        new SessionMemory("/workspace"),
        1,
      )
    })
    const pages = await pagesOf(source.rpc)
    expect(pages.flatMap(({ tables }) => tables).filter(({ name }) => name === "folds")).toEqual([])
    expect(await restore(open(source.id, "elsewhere").rpc, pages)).toMatchObject({ ok: true })
    const folds = { name: "folds", columns: ["kind", "part", "bytes"], rows: [["state", 0, { base64: "AAAA" }]] }
    const [first, ...others] = pages
    const earlier = [{ ...first!, tables: [...first!.tables, folds] }, ...others]
    const copy = open(source.id, "earlier")
    expect(await restore(copy.rpc, earlier)).toMatchObject({ ok: true })
    await run(copy.rpc, "read a.txt")
  })

  it("leaves out the tables of the runtime; a backup of an earlier version that has one is restored", async () => {
    const source = await created()
    const copy = open(source.id, "elsewhere")
    // As the explorer of `npm start -- --inspect` and of `wrangler dev` makes in each object.
    const inspect = (object: DurableObjectStub<SessionObject>) =>
      runInDurableObject(object, (_: object, { storage }: DurableObjectState) => {
        storage.sql.exec("CREATE TABLE IF NOT EXISTS __miniflare_do_name (id INTEGER PRIMARY KEY, name TEXT)")
        storage.sql.exec("INSERT OR IGNORE INTO __miniflare_do_name VALUES (1, 'name')")
      })
    await inspect(source.object)
    await inspect(copy.object)
    const [first, ...others] = await pagesOf(source.rpc)
    expect(first!.tables.filter(({ name }) => name.startsWith("_"))).toEqual([])
    const own = { name: "__miniflare_do_name", columns: ["id", "name"], rows: [[1, "name"]] }
    const earlier = [{ ...first!, tables: [own, ...first!.tables] }, ...others]
    expect(await restore(copy.rpc, earlier)).toMatchObject({ ok: true, value: { complete: true } })
  })

  it("does not reveal sealed values, and is a snapshot of the moment of its first page", async () => {
    const source = await created()
    const first = await source.rpc.backupPage(null)
    if (!first.ok) throw new Error(first.error.message)
    await run(source.rpc, "create b.txt with beta")
    const second = await source.rpc.backupPage(first.value.next_cursor)
    if (!second.ok) throw new Error(second.error.message)
    expect(rows([second.value], "events").length).toBe(first.value.through)
    expect(rows([first.value], "meta").every((row) => typeof row[1] === "object")).toBe(true)
  })

  it("that is created while the session is idle has the same revision, and another one after a change", async () => {
    const source = await created()
    const revision = async () => (await pagesOf(source.rpc))[0]?.revision
    const before = await revision()
    expect(await revision()).toBe(before)
    await source.rpc.fetch("http://session/files/workspace/c.txt", { method: "PUT", body: "c" })
    expect(await revision()).not.toBe(before)
  })
})

describe("a restore", () => {
  it("that was interrupted continues where it was, also after an eviction, and no session exists meanwhile", async () => {
    const source = await created()
    const pages = await pagesOf(source.rpc)
    const target = open(source.id, "second")
    await target.rpc.restorePage(pages[0]!)
    await evictDurableObject(target.object)
    expect(await target.rpc.info()).toMatchObject({ ok: false, error: { type: "not_found_error" } })
    expect(await target.rpc.create({ session: SESSION })).toMatchObject({
      ok: false,
      error: { type: "conflict_error" },
    })
    expect(await target.rpc.restorePage(pages[0]!)).toMatchObject({
      ok: true,
      value: { next_page: 1, complete: false },
    })
    expect(await target.rpc.restorePage(pages[2]!)).toMatchObject({ ok: false, error: { type: "conflict_error" } })
    await target.rpc.restorePage(pages[1]!)
    expect(await target.rpc.restorePage(pages[2]!)).toMatchObject({ ok: true, value: { complete: true } })
    expect(await target.rpc.restorePage(pages[2]!)).toMatchObject({ ok: false, error: { type: "conflict_error" } })
  })

  it("of an id that exists or was erased is a conflict", async () => {
    const source = await created()
    const pages = await pagesOf(source.rpc)
    expect(await source.rpc.restorePage(pages[0]!)).toMatchObject({ ok: false, error: { type: "conflict_error" } })
    await source.rpc.erase()
    expect(await source.rpc.restorePage(pages[0]!)).toMatchObject({ ok: false, error: { message: /deleted/ } })
  })

  it.each<[string, (pages: ReadonlyArray<BackupPage>) => ReadonlyArray<BackupPage>]>([
    [
      "an event is missing",
      (pages) => pages.map((page) => change(page, "events", (row) => (row[0] === 3 ? null : row))),
    ],
    [
      "a content is another",
      (pages) => pages.map((page) => change(page, "blobs", ([hash, chunk]) => [hash, chunk, { base64: "eHg=" }])),
    ],
    [
      "it has a table of a later version",
      (pages) =>
        pages.map((page) => ({ ...page, tables: [{ name: "later", columns: ["a"], rows: [] }, ...page.tables] })),
    ],
    [
      "it has a column of a later version",
      (pages) =>
        pages.map((page) => ({
          ...page,
          tables: page.tables.map((one) => ({ ...one, columns: [...one.columns, "later"] })),
        })),
    ],
    ["a row is too short", (pages) => pages.map((page) => change(page, "events", (row) => row.slice(1)))],
    [
      "it holds no session",
      (pages) => pages.map((page) => change(page, "meta", (row) => (row[0] === "session" ? null : row))),
    ],
    [
      "it was sealed with another key",
      (pages) =>
        pages.map((page) =>
          change(page, "meta", ([key]) => [key, { sealed: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }]),
        ),
    ],
  ])("is refused when %s, and leaves no session", async (_, spoil) => {
    const source = await created()
    const target = open(source.id, `spoilt-${crypto.randomUUID()}`)
    const answer = await restore(target.rpc, spoil(await pagesOf(source.rpc)))
    expect(answer).toMatchObject({ ok: false, error: { type: "unprocessable_error" } })
    expect(await target.rpc.info()).toMatchObject({ ok: false, error: { type: "not_found_error" } })
    const meta = await runInDurableObject(target.object, (_one: object, state: DurableObjectState) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'meta'").toArray().length === 0
        ? []
        : state.storage.sql.exec<{ key: string }>("SELECT key FROM meta WHERE key = 'session'").toArray(),
    )
    expect(meta).toEqual([])
  })
})
