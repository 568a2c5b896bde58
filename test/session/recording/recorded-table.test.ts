// The rows of a recorded session: short and long texts, and the chunks of each.
import { expect, it } from "vitest"
import { RecordedTable } from "../../../src/session/recording/recorded-table.ts"
import { createTables } from "../../../src/session/storage/tables.ts"
import { openTwin } from "../../workspace/sql-twin.ts"

const LONG = "é".repeat(300_000)

const open = () => {
  const twin = openTwin()
  createTables(twin.sql)
  return { twin, table: new RecordedTable(twin.sql) }
}

const row = (hash: string, response = "1") => ({ kind: "model" as const, hash, ordinal: 0, request: "{}", response })

it("are read back as they were written, and as they were changed", () => {
  const { twin, table } = open()
  table.add(row("a"))
  table.add({ ...row("b", LONG), request: LONG })
  table.add(row("c"))
  table.change(1, LONG)
  table.change(2, "2")
  table.change(3, "3")
  const read = [...new RecordedTable(twin.sql).rows()].map(({ n, hash, request, response }) => [
    n,
    hash,
    request,
    response,
  ])
  expect(read).toEqual([
    [1, "a", "{}", LONG],
    [2, "b", LONG, "2"],
    [3, "c", "{}", "3"],
  ])
  expect([...table.rows(2)].map(({ n }) => n)).toEqual([3])
})

it("cost one row each, including their chunks, which can be read from any position", () => {
  const { twin, table } = open()
  const before = twin.rowsWritten()
  table.add(row("a"), [
    ["0a", '"one"'],
    ["0b", '"zwei 😀"'],
  ])
  expect(twin.rowsWritten() - before).toBe(1)
  table.add(row("b"))
  table.add(row("c"), [
    ["0c", JSON.stringify(LONG)],
    ["0d", '"four"'],
  ])
  table.change(3, LONG)
  const all = [
    { n: 1, at: 0, hash: "0a", json: '"one"' },
    { n: 1, at: 1, hash: "0b", json: '"zwei 😀"' },
    { n: 3, at: 0, hash: "0c", json: JSON.stringify(LONG) },
    { n: 3, at: 1, hash: "0d", json: '"four"' },
  ]
  expect([...table.chunks(0, 0)]).toEqual(all)
  for (const [index, { n, at }] of all.entries()) expect([...table.chunks(n, at)]).toEqual(all.slice(index))
  expect([...table.chunks(2, 5)]).toEqual(all.slice(2))
  expect(new RecordedTable(twin.sql).chunkHashes()).toEqual(new Set(["0a", "0b", "0c", "0d"]))
})

it("that were rolled back are not counted", () => {
  const { twin, table } = open()
  table.add(row("a"))
  expect(() =>
    twin.transactionSync(() => {
      table.add(row("b"))
      throw new Error("no room")
    }),
  ).toThrow("no room")
  table.reload()
  expect([table.add(row("c")), table.last]).toEqual([2, 2])
  expect(table.counts()).toEqual(
    new Map([
      ["model a", 1],
      ["model c", 1],
    ]),
  )
})
