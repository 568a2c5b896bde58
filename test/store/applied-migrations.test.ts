// Whether a database has the migrations that this version of Perch needs.
import { expect, it } from "vitest"
import { LAST_MIGRATION } from "../../src/schemas/version.ts"
import { hasMigrations } from "../../src/store/applied-migrations.ts"
import { SqliteD1 } from "../support/session/sqlite-d1.ts"

const TABLE = "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"

const applied = async (...names: ReadonlyArray<string>): Promise<boolean> => {
  const { d1 } = new SqliteD1()
  await d1.prepare(TABLE).run()
  for (const name of names) await d1.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name).run()
  return hasMigrations(d1)
}

it("a database has them if its last migration is ours, or a newer one", async () => {
  expect(await applied("0001_read_model.sql", `${LAST_MIGRATION}.sql`)).toBe(true)
  expect(await applied(`${LAST_MIGRATION}.sql`, "9999_later.sql")).toBe(true)
})

it("lacks them if it stopped before ours, or has none", async () => {
  expect(await applied("0001_read_model.sql", "0012_workflow_runs.sql")).toBe(false)
  expect(await applied()).toBe(false)
})

it("has them without wrangler's table if its tables exist, and lacks them if it is empty", async () => {
  const database = new SqliteD1()
  expect(await hasMigrations(database.d1)).toBe(true)
  database.sqlite.exec("DROP TABLE api_keys")
  expect(await hasMigrations(database.d1)).toBe(false)
})
