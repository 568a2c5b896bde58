// `npm start` as a user runs it: whatever happens to its output, its terminal or any of its processes, nothing is left. Each
// row of the table starts a server with its own state folder, kills or closes one part of it, and checks what still runs.
import { type ChildProcess, spawn } from "node:child_process"
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { descendantsOf, sendSignal, stillRunning } from "../../../scripts/local/processes.mjs"
import { lockState } from "../../../scripts/local/state-lock.mjs"
import { eventually } from "../../support/server/client.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const KEY = "start-test-key-of-at-least-32-characters"
/** The folder of the servers that do not start. */
const unused = fs.mkdtempSync(path.join(os.tmpdir(), "perch-start-"))
// The lock is in this folder.
fs.mkdirSync(path.join(unused, "v3"))

afterAll(() => fs.rmSync(unused, { recursive: true, force: true, maxRetries: 3 }))

interface Started {
  readonly child: ChildProcess
  readonly printed: () => string
  readonly port: () => number
  /** pid → command of everything that it started, including itself. */
  readonly tree: () => Map<number, string>
}

/** pid of the process of the tree whose command matches. */
const find = (started: Started, command: RegExp): number => {
  const found = [...started.tree()].find(([, name]) => command.test(name))
  if (found === undefined) throw new Error(`no process ${command} in ${JSON.stringify([...started.tree()])}`)
  return found[0]
}

const start = (
  state: string,
  command: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>> = {},
): Started => {
  const [program = "", ...args] = command.map((word) => word.replace("STATE", state))
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      PERCH_ROOT_KEY: KEY,
      PERCH_LOG: "requests",
      ANTHROPIC_API_KEY: "",
      ANTHROPIC_BASE_URL: "",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => (printed += String(chunk)))
    stream?.on("error", () => undefined)
  }
  return {
    child,
    printed: () => printed,
    port: () => Number(/Perch is ready at http:\/\/[^:]+:(\d+)/.exec(printed)?.[1] ?? 0),
    tree: () => new Map([[child.pid!, command[0]!], ...descendantsOf(child.pid!)]),
  }
}

const ready = (started: Started) =>
  eventually(async () => (started.port() > 0 ? true : undefined), 50_000).catch((cause: unknown) => {
    throw new Error(`it was not ready\n${started.printed()}`, { cause })
  })

/** True when nothing listens on the port. */
const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = net.createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** workerd runs, but the script is not ready yet. */
const halfWay = (started: Started) =>
  eventually(async () => ([...started.tree().values()].includes("workerd") ? true : undefined), 50_000)

const NPM = ["npm", "start", "--", "--port", "0", "--persist-to", "STATE"]
const SCRIPT = [process.execPath, "scripts/start.mjs", "--port", "0", "--persist-to", "STATE"]
const HEAD = ["sh", "-c", "npm start -- --port 0 --persist-to STATE | head -n 2"]
const isNode = /^(node|MainThread|npm.*)$/

/** The disturbances of a server that is ready. */
type Row = readonly [
  string,
  ReadonlyArray<string>,
  (started: Started) => unknown,
  ((started: Started) => Promise<true>)?,
]
const ROWS: ReadonlyArray<Row> = [
  ["SIGTERM to npm", NPM, ({ child }) => child.kill("SIGTERM")],
  ["SIGKILL to npm", NPM, ({ child }) => child.kill("SIGKILL")],
  ["SIGKILL to npm's shell", NPM, (started) => sendSignal(find(started, /^(da|ba)?sh$/), "SIGKILL")],
  ["SIGHUP to the group, as a terminal that closes", NPM, ({ child }) => process.kill(-child.pid!, "SIGHUP")],
  [
    "SIGINT to the group, twice",
    NPM,
    ({ child }) => {
      process.kill(-child.pid!, "SIGINT")
      setTimeout(() => sendSignal(-child.pid!, "SIGINT"), 30)
    },
  ],
  ["SIGKILL to the script", SCRIPT, ({ child }) => child.kill("SIGKILL")],
  ["SIGTERM, then SIGKILL to the script", SCRIPT, ({ child }) => (child.kill("SIGTERM"), child.kill("SIGKILL"))],
  [
    "SIGKILL to the process that serves",
    SCRIPT,
    (started) => {
      const [below] = [...descendantsOf(started.child.pid!)].filter(([, name]) => isNode.test(name))
      sendSignal(below![0], "SIGKILL")
    },
  ],
  [
    "SIGKILL to every Node process at once",
    SCRIPT,
    (started) => {
      const nodes = [...started.tree()].filter(([, name]) => isNode.test(name) || name === process.execPath)
      expect(nodes.length).toBeGreaterThan(1)
      for (const [pid] of nodes) sendSignal(pid, "SIGKILL")
    },
  ],
  [
    "its output closes, and it prints",
    SCRIPT,
    async (started) => {
      started.child.stdout?.destroy()
      started.child.stderr?.destroy()
      // This request is logged, which ends the server: its answer may be truncated.
      await fetch(`http://127.0.0.1:${started.port()}/healthz`)
        .then((response) => response.text())
        .catch(() => undefined)
    },
  ],
  ["`| head` has read enough", HEAD, () => undefined, halfWay],
  ["SIGKILL to the script while it starts", SCRIPT, ({ child }) => child.kill("SIGKILL"), halfWay],
  ["SIGTERM to npm while it starts", NPM, ({ child }) => child.kill("SIGTERM"), halfWay],
]

describe("npm start leaves no process and no port behind", () => {
  const run = async (
    command: ReadonlyArray<string>,
    act: (started: Started) => unknown,
    isReady = ready,
    settings: Readonly<Record<string, string>> = {},
  ) => {
    const state = fs.mkdtempSync(path.join(os.tmpdir(), "perch-start-"))
    const started = start(state, command, settings)
    const seen = new Map<number, string>()
    try {
      await isReady(started)
      for (const [pid, name] of started.tree()) seen.set(pid, name)
      await act(started)
      await eventually(async () => (stillRunning(seen).length === 0 ? true : undefined), 30_000).catch(() => {
        const left = stillRunning(seen).map((pid) => `${pid} ${seen.get(pid)}`)
        throw new Error(`these are left: ${left.join(", ")}\n${started.printed()}`)
      })
      if (started.port() > 0) await eventually(async () => ((await isFree(started.port())) ? true : undefined))
    } finally {
      for (const pid of stillRunning(seen)) sendSignal(pid, "SIGKILL")
      // A server that never became ready was not inspected.
      sendSignal(-started.child.pid!, "SIGKILL")
      fs.rmSync(state, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  for (const [what, command, act, isReady] of ROWS) {
    it.concurrent(`after ${what}`, () => run(command, act, isReady))
  }

  it("after it named the settings that can't be used", () =>
    run(
      SCRIPT,
      (started) => {
        expect(started.printed()).toMatch(/^ {2}FAIL {2}PERCH_RUNTIME: must be live, offline, record/m)
        expect(started.printed()).toMatch(
          /^ {2}FAIL {2}http.*PERCH_LIMITS is not readable \(bogus: is not a known field\)/m,
        )
        started.child.kill("SIGTERM")
      },
      ready,
      { PERCH_RUNTIME: "fast", PERCH_LIMITS: '{"bogus":1}' },
    ))

  it("when its port is in use, which it reports", async () => {
    const taken = net.createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    const { port } = taken.address() as net.AddressInfo // a TCP server has one
    const started = start(unused, [process.execPath, "scripts/start.mjs", "--port", String(port)])
    // Its output may still arrive after it has exited.
    const code = await new Promise((resolve) => started.child.once("close", resolve))
    taken.close()
    expect(code).toBe(1)
    expect(started.printed()).toContain(`port ${port} is taken`)
  })

  it.concurrent("when another server uses its state folder, which it reports", async () => {
    const release = await lockState(unused)
    const started = start(unused, SCRIPT)
    // Its output may still arrive after it has exited.
    const code = await new Promise((resolve) => started.child.once("close", resolve))
    release()
    expect(code).toBe(1)
    expect(started.printed()).toContain(`the state folder ${unused} is in use by another server`)
  })
})
