// The facts of a session: values that exceed a row, which has at most 2 MB.
import { expect, it } from "vitest"
import { Meta, newRecord } from "../../../src/session/storage/meta.ts"
import { createTables } from "../../../src/session/storage/tables.ts"
import { openTwin } from "../../workspace/sql-twin.ts"

const recordWith = (systemPrompt: string) => {
  const session = { cwd: "/workspace", title: null, metadata: {}, options: { systemPrompt } }
  return newRecord("acme", "s1", { session }, 0)
}

it("stores a value that exceeds a row in several, and reads what was written last", () => {
  const { sql } = openTwin()
  createTables(sql)
  const meta = new Meta(sql)
  const largest = () =>
    sql.exec<{ size: number }>("SELECT max(length(CAST(json AS BLOB))) AS size FROM meta").one().size
  meta.set("forking", { parent: "s0" })
  for (const text of ["x".repeat(5_000_000), "é😀".repeat(600_000), "漢".repeat(1_000_000), "short"]) {
    meta.set("session", recordWith(text))
    expect(new Meta(sql).get("session")).toEqual(recordWith(text))
    expect(largest()).toBeLessThanOrEqual(2_000_000)
  }
  expect(meta.get("forking")).toEqual({ parent: "s0" })
  meta.delete("session")
  expect(sql.exec("SELECT key FROM meta").toArray()).toEqual([{ key: "forking" }])
})
