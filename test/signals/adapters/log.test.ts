// The log adapter writes one JSON line for each signal of its level.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Signal } from "../../../src/schemas/signal.ts"
import { logAdapter, type LogOptions } from "../../../src/signals/adapters/log.ts"

const signals: ReadonlyArray<Signal> = [
  { id: "1", name: "workflow:start", payload: { a: "x\ny" }, timestamp: "2026-01-01T00:00:00.000Z" },
  { id: "2", name: "text:delta", payload: { content: "x" }, timestamp: "t", source: { agent: "a", parent: "1" } },
  { id: "3", name: "harness:error", payload: { message: "m" }, timestamp: "t" },
  { id: "4", name: "workflow:end", payload: { reason: "error" }, timestamp: "t" },
  { id: "5", name: "workflow:end", payload: { reason: "until" }, timestamp: "t" },
]
const linesOf = (options: LogOptions = {}) => {
  const lines: Array<string> = []
  const adapter = logAdapter({ write: (line) => lines.push(line), ...options })
  Effect.runSync(Effect.forEach(signals, adapter.process))
  expect(lines.join("")).not.toContain("\n")
  return lines.map((line) => JSON.parse(line))
}

describe("the log adapter", () => {
  it("writes level, time, name, id, source and payload", () => {
    expect(linesOf()[0]).toEqual({
      level: "info",
      time: "2026-01-01T00:00:00.000Z",
      signal: "workflow:start",
      id: "1",
      payload: { a: "x\ny" },
    })
  })

  it("omits signals below its level, and payloads if its options say so", () => {
    expect(linesOf({ level: "debug" }).map(({ level }) => level)).toEqual(["info", "debug", "error", "error", "info"])
    expect(linesOf().map(({ id }) => id)).toEqual(["1", "3", "4", "5"])
    expect(linesOf({ level: "error", payloads: false })).toEqual([
      { level: "error", time: "t", signal: "harness:error", id: "3" },
      { level: "error", time: "t", signal: "workflow:end", id: "4" },
    ])
  })

  it("writes one line without control characters, which are restored by parsing", () => {
    const payload = { text: "a\n\u001b[2J\u009b2J\u0085\u2028\u2029\u007f" }
    const lines: Array<string> = []
    Effect.runSync(
      logAdapter({ write: (line) => lines.push(line) }).process({ id: "1", name: "a", payload, timestamp: "t" }),
    )
    expect(lines.join("")).toMatch(/^[\u0020-\u007e]+$/)
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ payload })
  })
})
