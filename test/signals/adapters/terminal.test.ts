// The terminal output of a run: lines of renderers, text in place, colours only when enabled.
import { Effect } from "effect"
import { Writable } from "node:stream"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { Signal } from "../../../src/schemas/signal.ts"
import { terminalAdapter, type TerminalOptions } from "../../../src/signals/adapters/terminal.ts"

const signal = (name: string, payload: Signal["payload"] = {}): Signal => ({ id: "1", name, payload, timestamp: "" })
const TURN = [
  signal("agent:activated", { agent: "writer", trigger: "go" }),
  signal("text:delta", { content: "Hel" }),
  signal("text:delta", { content: "lo \u001b[31mthere" }),
  signal("text:complete", { text: "Hello there" }),
  signal("written", { pages: 3 }),
  signal("other"),
]
const shown = (signals: ReadonlyArray<Signal>, options: TerminalOptions = {}, isTTY = false) => {
  const written: Array<string> = []
  const adapter = terminalAdapter({ output: { write: (text) => written.push(text), isTTY }, ...options })
  Effect.runSync(Effect.forEach(signals, adapter.process))
  return written.join("")
}
const renderers = { written: ({ payload }: Signal<{ readonly pages: number }>) => `${payload.pages} pages` }

afterEach(() => void vi.unstubAllEnvs())

describe("the terminal adapter", () => {
  it("writes text as it arrives and a line for each signal with a renderer, without control characters in a pipe", () => {
    expect(shown(TURN, { renderers })).toBe("writer go\nHello [31mthere\n3 pages\n")
  })

  it("uses colours on a terminal, if enabled, and not if disabled", () => {
    const coloured = "\u001b[36mwriter\u001b[39m \u001b[2mgo\u001b[22m\n"
    expect(shown(TURN.slice(0, 1), { colors: true })).toBe(coloured)
    expect(shown(TURN.slice(0, 1), { colors: false }, true)).toBe("writer go\n")
    vi.stubEnv("NO_COLOR", "")
    expect(shown(TURN.slice(0, 1), {}, true)).toBe(coloured)
    vi.stubEnv("NO_COLOR", "1")
    expect(shown(TURN.slice(0, 1), {}, true)).toBe("writer go\n")
  })

  it("ends the line of a text before another line", () => {
    expect(shown([signal("text:delta", { content: "Half" }), signal("written", { pages: 1 })], { renderers })).toBe(
      "Half\n1 pages\n",
    )
  })

  it("omits signals whose renderer is null, and lets a renderer replace a text", () => {
    const quiet = { "agent:activated": null, "text:delta": () => ".", written: () => null }
    expect(shown(TURN, { renderers: quiet })).toBe("..\n")
  })

  it("shows why a run failed", () => {
    const end = signal("workflow:end", { reason: "error", error: { type: "AgentError", message: "It broke." } })
    expect(shown([signal("harness:error", { message: "It is away." }), end])).toBe(
      "It is away.\nAgentError: It broke.\n",
    )
    expect(shown([signal("workflow:end", { reason: "until" })])).toBe("")
  })

  it("removes control characters from what models wrote, whichever renderer shows it, and keeps those of colours", () => {
    const text = "\u001b]0;title\u0007\u009b2J\u001b[2Aup\rover\u0008\u0000\t|\n"
    const options: TerminalOptions = {
      renderers: {
        quoted: ({ payload }: Signal<{ readonly by: ReadonlyArray<string> }>, { red }) => red(payload.by.join("")),
        keyed: ({ payload }: Signal) => Object.keys(Object(payload)).join(""),
      },
      colors: true,
    }
    const signals = [
      signal("quoted", { by: [text] }),
      signal("keyed", { [text]: 1 }),
      signal("text:delta", { content: text }),
    ]
    const clean = "]0;title2J[2Aupover\t|\n"
    expect(shown(signals, options)).toBe(`\u001b[31m${clean}\u001b[39m\n${clean}\n${clean}`)
  })

  it("writes no escape sequence into a pipe, not even a renderer's own", () => {
    const loud = { written: () => "\u001b[1mloud\u001b[0m" }
    expect(shown([signal("written")], { renderers: loud })).toBe("[1mloud[0m\n")
  })

  it("survives the end of its pipe's reader", async () => {
    let writes = 0
    const output = new Writable({
      write: (_chunk, _encoding, done) => {
        writes += 1
        done(new Error("write EPIPE"))
      },
    })
    const closed = new Promise((resolve) => output.once("close", resolve))
    const adapter = terminalAdapter({ output, renderers })
    const lines = () => Effect.runSync(Effect.forEach(TURN, adapter.process))
    lines()
    await closed
    lines()
    expect(writes).toBe(1)
  })
})
