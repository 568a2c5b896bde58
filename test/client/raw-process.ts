// A process of the client that a test drives without the SDK: lines in, lines out, an exit code.
import { once } from "node:events"
import { createInterface } from "node:readline"
import { type Timing, TIMING } from "../../src/client/connection.ts"
import { PerchProcess } from "../../src/client/process.ts"
import { PerchServer } from "../../src/client/server.ts"

/** Fast enough for a test; the heartbeat interval is so long that none occurs. */
export const FAST: Timing = { ...TIMING, backoffMs: [1, 1, 1, 1, 1], heartbeatMs: 3_600_000 }

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

export interface RawOptions {
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly sessionId?: string
  readonly timing?: Partial<Timing>
  /** How often a request for the session is sent again; 0 by default. */
  readonly retries?: number
  /** If false, stdout is not read. */
  readonly read?: boolean
}

export const rawProcess = (
  url: string,
  { args = [], env = {}, sessionId, timing, retries = 0, read = true }: RawOptions = {},
) => {
  const abort = new AbortController()
  const spawn = { args: [...args], env, signal: abort.signal }
  const spawned = new PerchProcess(new PerchServer(url, "key", retries), spawn, sessionId, { ...FAST, ...timing })
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const waiting: Array<() => void> = []
  const reader = read ? createInterface({ input: spawned.stdout }) : undefined
  reader?.on("line", (line) => {
    lines.push(JSON.parse(line) as Readonly<Record<string, unknown>>)
    for (const wake of waiting.splice(0)) wake()
  })
  const ended = reader === undefined ? Promise.resolve() : once(reader, "close")
  const exited = new Promise<Exit>((resolve) => spawned.once("exit", (code, signal) => resolve({ code, signal })))
  return {
    spawned,
    abort,
    lines,
    /** Resolves when it has exited and all of its output is read. */
    exit: async (): Promise<Exit> => {
      const exit = await exited
      await ended
      return exit
    },
    write: (message: unknown) => void spawned.stdin.write(`${JSON.stringify(message)}\n`),
    end: () => void spawned.stdin.end(),
    /** Resolves when this number of lines has been printed. */
    printed: async (count: number) => {
      while (lines.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
      return lines
    },
  }
}

export const prompt = (text: string) => ({
  type: "user",
  session_id: "",
  message: { role: "user", content: text },
  parent_tool_use_id: null,
})
