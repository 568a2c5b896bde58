// The asks of a session: their rows, which have at most 2 MB, and what waits for their answers.
import { Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { AskStore } from "../../../src/session/storage/ask-store.ts"
import { createTables } from "../../../src/session/storage/tables.ts"
import type { AskOpened } from "../../../src/schemas/log/ask-events.ts"
import { openTwin } from "../../workspace/sql-twin.ts"

it("stores a large input and a large answer outside its row", () => {
  const { sql } = openTwin()
  createTables(sql)
  const asks = new AskStore(sql)
  const large = "x".repeat(3_000_000)
  // Only the fields that the store itself reads.
  const ask = { request_id: "r1", tool_use_id: "t1", kind: "client_tool", expires_at: 1, input: { large } } as never
  const settled = { by: "client", answer: { content: large } } as never
  asks.add(ask, "turn", 0)
  expect(new AskStore(sql).open.map((row): AskOpened => row.ask)).toEqual([ask])
  asks.settle("r1", settled)
  expect(asks.find("r1")).toMatchObject({ ask, settled })
  const [row] = sql.exec<{ size: number }>("SELECT length(ask) + length(settled) AS size FROM asks").toArray()
  expect(row?.size).toBeLessThan(1000)
})

it("wakes everything that waits for an answer, also when another wait for it has ended before", async () => {
  const { sql } = openTwin()
  createTables(sql)
  const asks = new AskStore(sql)
  // Only the fields that the store itself reads.
  const ask = { request_id: "r1", tool_use_id: "t1", kind: "permission", expires_at: 1, input: {} } as never
  const settled = { by: "client", answer: { behavior: "allow" } } as never
  asks.add(ask, "turn", 0)
  const [replaced, next] = [Effect.runFork(asks.answerTo("r1")), Effect.runFork(asks.answerTo("r1"))]
  await Effect.runPromise(Fiber.interrupt(replaced))
  asks.settle("r1", settled)
  asks.wake("r1", settled)
  expect(await Effect.runPromise(Fiber.join(next))).toEqual(settled)
})
