// Starts a real Perch server for a test: `scripts/start.mjs` in its own process group, with its own state folder.
// Invariant: nothing of it outlives the test process, whether the test passes, fails or is interrupted.
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { groupMembers } from "./process/group-members.mjs"
import { Printed } from "./process/printed.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const READY_WITHIN_MS = 90_000
const GONE_WITHIN_MS = 15_000

/** The server's output is also in this file of its state folder. */
export const LOG_FILE = "printed.log"

export interface ServerOptions {
  /** The Messages API to use; without it the offline model answers. */
  readonly apiUrl?: string
  /** Kept if it is given; otherwise a folder under the system's temporary one, removed by `dispose()`. */
  readonly persistTo?: string
  readonly env?: Readonly<Record<string, string>>
  readonly port?: number
  readonly args?: ReadonlyArray<string>
}

export interface PerchServer {
  readonly url: string
  readonly key: string
  readonly state: string
  /** The server's process group, or undefined while it is stopped. */
  readonly pgid: number | undefined
  /** Its output since its last start. */
  output(): string
  /** Ends it with SIGTERM. */
  stop(): Promise<void>
  /** Ends it like a power failure. */
  kill9(): Promise<void>
  /** Starts it again on the same port with the same state. */
  restart(): Promise<void>
  /** Ends it and removes its state. */
  dispose(): Promise<void>
}

/** The running groups: whatever ends this process ends them. */
const running = new Set<number>()

const killGroup = (pgid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pgid, signal)
  } catch (error) {
    // Only a process error has a code; the group has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

process.on("exit", () => {
  for (const pgid of running) killGroup(pgid, "SIGKILL")
})

const environment = (options: ServerOptions, key: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PERCH_ROOT_KEY: key,
  PERCH_BACKUP_KEY: "",
  PERCH_LOG: "",
  PERCH_CORS_ORIGINS: "",
  PERCH_FETCH_ALLOW: "",
  PERCH_FETCH_RESOLVER: "off",
  ANTHROPIC_API_KEY: options.apiUrl === undefined ? "" : "sk-test",
  ANTHROPIC_BASE_URL: options.apiUrl ?? "",
  OPENAI_API_KEY: "",
  OPENAI_BASE_URL: "",
  ...options.env,
})

interface Launched {
  readonly child: ChildProcess
  readonly pgid: number
  readonly url: string
  readonly output: () => string
}

/** Resolves when the server has reported that it is ready; otherwise rejects with its output. */
const launch = (options: ServerOptions, key: string, state: string, port: number): Promise<Launched> =>
  new Promise((resolve, reject) => {
    const args = ["scripts/start.mjs", "--port", String(port), "--persist-to", state, ...(options.args ?? [])]
    const env = environment(options, key)
    const child = spawn(process.execPath, args, { cwd: ROOT, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    const pgid = child.pid
    if (pgid === undefined) return reject(new Error("the server could not be spawned"))
    running.add(pgid)
    const printed = new Printed(path.join(state, LOG_FILE))
    let isReady = false
    const fail = (why: string) => {
      clearTimeout(timer)
      killGroup(pgid, "SIGKILL")
      running.delete(pgid)
      reject(new Error(`${why}\n${printed.text()}`))
    }
    const timer = setTimeout(() => fail("the server was not ready in time"), READY_WITHIN_MS)
    // Its output, which is the reason, may still arrive after it has exited; its children would keep the pipes open.
    const exited = () => killGroup(pgid, "SIGKILL")
    const ended = () => fail("the server ended before it was ready")
    child.once("exit", exited).once("close", ended)
    child.once("close", () => printed.close())
    const read = (chunk: string) => {
      printed.add(chunk)
      if (isReady) return
      const url = /Perch is ready at (\S+)/.exec(printed.text())?.[1]
      if (url === undefined || child.listenerCount("exit", exited) === 0) return
      isReady = true
      clearTimeout(timer)
      child.off("exit", exited).off("close", ended)
      resolve({ child, pgid, url, output: () => printed.text() })
    }
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", read)
  })

/** Whether the port can be listened on. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** Resolves when the group has no process left. */
const gone = async (pgid: number): Promise<void> => {
  const deadline = Date.now() + GONE_WITHIN_MS
  while (groupMembers(pgid).length > 0) {
    if (Date.now() > deadline) {
      killGroup(pgid, "SIGKILL")
      throw new Error(`processes of group ${pgid} are left: ${JSON.stringify(groupMembers(pgid))}`)
    }
    await delay(20)
  }
  running.delete(pgid)
}

export const startServer = async (options: ServerOptions = {}): Promise<PerchServer> => {
  const key = options.env?.PERCH_ROOT_KEY ?? `test-root-${randomBytes(12).toString("hex")}`
  const state = options.persistTo ?? fs.mkdtempSync(path.join(os.tmpdir(), "perch-test-"))
  let launched: Launched | undefined = await launch(options, key, state, options.port ?? 0)
  const url = launched.url
  const port = Number(new URL(url).port)

  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (launched === undefined) return
    const { pgid } = launched
    launched = undefined
    // SIGTERM is sent only to the script, which must end the others itself.
    if (signal === "SIGTERM") process.kill(pgid, signal)
    else killGroup(pgid, signal)
    await gone(pgid)
    // A killed process counts as ended while its threads still end, and its sockets close with the last of them.
    const deadline = Date.now() + GONE_WITHIN_MS
    while (!(await isFree(port)) && Date.now() < deadline) await delay(20)
  }
  return {
    url,
    key,
    state,
    get pgid() {
      return launched?.pgid
    },
    output: () => launched?.output() ?? "",
    stop: () => end("SIGTERM"),
    kill9: () => end("SIGKILL"),
    restart: async () => {
      await end("SIGTERM")
      launched = await launch(options, key, state, port)
    },
    dispose: async () => {
      await end("SIGKILL")
      if (options.persistTo === undefined) fs.rmSync(state, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
