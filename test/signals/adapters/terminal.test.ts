// What a terminal shows of a run: lines of renderers, text in place, colours only where they are wanted.
import { Effect } from "effect"
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

  it("colours on a terminal, when it is asked to, and not when it is asked not to", () => {
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

  it("leaves out what has null as its renderer, and lets a renderer replace a text", () => {
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
})
