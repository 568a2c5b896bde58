// The local D1 database is brought up to the files of a folder: in order, once, and each file as a whole or not at all.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { migrate } from "../../../scripts/local/migrate.mjs"
import { SqliteD1 } from "../../support/session/sqlite-d1.ts"

let folder: string
let database: SqliteD1

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-migrate-"))
  database = new SqliteD1()
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

const write = (name: string, sql: string) => fs.writeFileSync(path.join(folder, name), sql)
const rows = (sql: string) => database.sqlite.prepare(sql).all().map(Object.values).flat()
const applied = () => rows("SELECT name FROM d1_migrations ORDER BY id")

it("applies the files in the order of their names, and each once", async () => {
  write("0002_b.sql", "INSERT INTO things VALUES ('b; with a semicolon');\n")
  write(
    "0001_a.sql",
    "-- a comment; with a semicolon\nCREATE TABLE things (name TEXT);\nINSERT INTO things VALUES ('a');\n",
  )
  write("notes.txt", "no migration")
  await migrate(database.d1, folder)
  await migrate(database.d1, folder)
  expect(rows("SELECT name FROM things")).toEqual(["a", "b; with a semicolon"])
  write("0003_c.sql", "INSERT INTO things VALUES ('c');")
  await migrate(database.d1, folder)
  expect(rows("SELECT name FROM things")).toEqual(["a", "b; with a semicolon", "c"])
  expect(applied()).toEqual(["0001_a.sql", "0002_b.sql", "0003_c.sql"])
})

it("applies a trigger, whose body has statements of its own", async () => {
  write(
    "0001_a.sql",
    `CREATE TABLE a (n INTEGER); CREATE TABLE b (n INTEGER);
CREATE TRIGGER copy AFTER INSERT ON a BEGIN INSERT INTO b VALUES (NEW.n); INSERT INTO b VALUES (NEW.n + 1); END;
INSERT INTO a VALUES (1);`,
  )
  await migrate(database.d1, folder)
  expect(rows("SELECT n FROM b ORDER BY n")).toEqual([1, 2])
})

it("rolls back a file that fails as a whole, names it, and continues there once it is corrected", async () => {
  write("0001_a.sql", "CREATE TABLE things (name TEXT);")
  write("0002_b.sql", "INSERT INTO things VALUES ('half'); INSERT INTO nowhere VALUES (1);")
  write("0003_c.sql", "INSERT INTO things VALUES ('c');")
  await expect(migrate(database.d1, folder)).rejects.toThrow("The D1 migration 0002_b.sql could not be applied:")
  expect(rows("SELECT name FROM things")).toEqual([])
  expect(applied()).toEqual(["0001_a.sql"])
  write("0002_b.sql", "INSERT INTO things VALUES ('whole');")
  await migrate(database.d1, folder)
  expect(rows("SELECT name FROM things")).toEqual(["whole", "c"])
})
