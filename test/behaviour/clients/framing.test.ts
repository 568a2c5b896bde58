// The parts of the client that need no socket: framing, unacknowledged lines, what the SDK sees.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { listOf } from "../../../src/client/launch/flag-values.ts"
import { LineGate } from "../../../src/client/line-gate.ts"
import { numbered, readFrames } from "../../../src/client/numbered-frames.ts"
import { deliveredLine, stateReportsOf } from "../../../src/client/session-state.ts"
import { OutgoingLines } from "../../../src/client/outgoing-lines.ts"

const line = (seq: number | undefined, value: unknown) => ({ kind: "line", seq, json: JSON.stringify(value) }) as const

describe("numbered framing", () => {
  it("parses lines, acknowledgements and states in order", () => {
    expect(readFrames('7\t{"a":1}\n+3\n=busy\n\t{"b":"x\\ty"}\n?a-1\n=idle\n')).toEqual([
      { kind: "line", seq: 7, json: '{"a":1}' },
      { kind: "acknowledged", upTo: 3 },
      { kind: "state", idle: false },
      { kind: "line", seq: undefined, json: '{"b":"x\\ty"}' },
      { kind: "receipt", line: "?a-1" },
      { kind: "state", idle: true },
    ])
  })

  it("ignores what it does not know", () => {
    expect(readFrames('\n=parked\n+x\n+\nseven\t{"a":1}\n-1\t{}\nhello\n')).toEqual([])
  })

  it("returns every JSON line unchanged", () => {
    const frames = fc.array(fc.tuple(fc.option(fc.nat(), { nil: undefined }), fc.jsonValue()), { maxLength: 20 })
    fc.assert(
      fc.property(frames, (all) => {
        const text = all.map(([seq, value]) => `${seq ?? ""}\t${JSON.stringify(value)}`).join("\n")
        expect(readFrames(text)).toEqual(all.map(([seq, value]) => line(seq, value)))
      }),
    )
  })
})

describe("unacknowledged lines", () => {
  it("are kept in order, under their original numbers", () => {
    const steps = fc.array(fc.oneof(fc.constant("add" as const), fc.nat({ max: 30 })), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (all) => {
        const lines = new OutgoingLines()
        let last = 0
        let taken = 0
        for (const step of all) {
          if (step === "add") expect(lines.add(`{"n":${(last += 1)}}`).number).toBe(last)
          else lines.acknowledge((taken = Math.max(taken, Math.min(step, last))))
        }
        const expected = Array.from({ length: last - taken }, (_, index) => taken + index + 1)
        expect(lines.waiting.map(({ number }) => number)).toEqual(expected)
        expect(lines.waiting.map(({ frame }) => frame)).toEqual(expected.map((n) => numbered(n, `{"n":${n}}`)))
        expect(lines.size).toBe(lines.waiting.reduce((sum, { frame }) => sum + frame.length, 0))
      }),
    )
  })
})

describe("what the SDK sees", () => {
  it("is each line of the log once, however often connections repeat it", () => {
    const reads = fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 }), { maxLength: 6 })
    fc.assert(
      fc.property(reads, (connections) => {
        const gate = new LineGate()
        const seen: Array<number> = []
        for (const seqs of connections) {
          gate.reopen()
          for (const seq of [...new Set(seqs)].sort((a, b) => a - b)) {
            if (gate.admit(line(seq, { seq }))) seen.push(seq)
          }
        }
        expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
        expect(gate.highest).toBe(seen.at(-1))
      }),
    )
  })

  it("is every message of one event, if they arrive on one connection", () => {
    const gate = new LineGate()
    expect([gate.admit(line(5, { part: 1 })), gate.admit(line(5, { part: 2 }))]).toEqual([true, true])
    gate.reopen()
    expect([gate.admit(line(5, { part: 1 })), gate.admit(line(6, {})), gate.admit(line(undefined, {}))]).toEqual([
      false,
      true,
      true,
    ])
  })

  it("is a control request once, and the withdrawal of a request that it saw", () => {
    const gate = new LineGate()
    const ask = (id: string) => line(undefined, { type: "control_request", request_id: id, request: {} })
    const withdraw = (id: string) => line(undefined, { type: "control_cancel_request", request_id: id })
    expect([ask("a"), ask("a"), ask("b"), withdraw("a"), withdraw("c")].map((one) => gate.admit(one))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ])
    const answer = line(undefined, { type: "control_response", response: { request_id: "mine" } })
    expect([gate.admit(answer), gate.admit(answer)]).toEqual([true, true])
  })

  it("counts a result only if it is one", () => {
    const gate = new LineGate()
    gate.admit(line(1, { type: "result", is_error: true }))
    expect(gate.failed).toBe(true)
    gate.admit(line(2, { type: "assistant", message: { type: "result", is_error: false } }))
    expect(gate.failed).toBe(true)
    gate.admit(line(3, { type: "result", is_error: false }))
    expect(gate.failed).toBe(false)
  })

  it("includes lines that are not JSON", () => {
    expect(new LineGate().admit({ kind: "line", seq: 1, json: '"control_' })).toBe(true)
  })
})

describe("the session's state", () => {
  const state = { type: "system", subtype: "session_state_changed", state: "idle" }
  it("is marked as the SDK's own, or left out, and nothing else is changed", () => {
    expect(JSON.parse(deliveredLine(JSON.stringify(state), "sdk") ?? "")).toEqual({ ...state, sdk_host_only: true })
    expect(deliveredLine(JSON.stringify(state), "app")).toBe(JSON.stringify(state))
    expect(deliveredLine(JSON.stringify(state), "none")).toBeNull()
    for (const json of [
      '{ "a": 1 }',
      JSON.stringify({ text: state }),
      '"session_state_changed"',
      '{"session_state_changed"',
    ]) {
      for (const receiver of ["app", "sdk", "none"] as const) expect(deliveredLine(json, receiver)).toBe(json)
    }
  })

  it.each([
    [{}, "none"],
    [{ CLAUDE_CODE_SDK_READS_SESSION_STATE: "1" }, "sdk"],
    [{ CLAUDE_CODE_SDK_READS_SESSION_STATE: "0" }, "none"],
    [{ CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" }, "app"],
    [{ CLAUDE_CODE_SDK_READS_SESSION_STATE: "1", CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "true" }, "app"],
  ])("with %j in the environment is received by: %s", (env, receiver) => {
    expect(stateReportsOf(env)).toBe(receiver)
  })
})

describe("lists of rules", () => {
  it.each([
    ["Read,Bash(ls *)", ["Read", "Bash(ls *)"]],
    ["Bash(a, b),Edit", ["Bash(a, b)", "Edit"]],
    ["Bash(f(x, y), z) , Read", ["Bash(f(x, y), z)", "Read"]],
    ["", []],
    [" , ", []],
    ["Bash(a,b", ["Bash(a,b"]],
    ["a),b", ["a)", "b"]],
    ["Bash(f(x), Read(y))", ["Bash(f(x), Read(y))"]],
    ['Bash(grep "f(" *),Write', ['Bash(grep "f(" *)', "Write"]],
    ['Bash(grep "f(" a,b *),mcp__far__add,Bash(rm *)', ['Bash(grep "f(" a,b *)', "mcp__far__add", "Bash(rm *)"]],
    ["Bash(case x in a) ls),Edit(./a)", ["Bash(case x in a) ls)", "Edit(./a)"]],
  ])("%s", (text, expected) => {
    expect(listOf(text)).toEqual(expected)
  })
})
