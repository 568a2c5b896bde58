// Adds fault points to the bundled Worker once, and runs it in a process group of its own that can be killed and started again.
// Invariant: nothing of it outlives this process.
import { execFileSync, spawn } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { build, type Plugin } from "esbuild"
import { bundleCache } from "../../scripts/local/bundle-cache.mjs"
import { claimPort } from "../../scripts/local/port.mjs"
import { groupMembers } from "../support/server/process/group-members.mjs"
import { type Faults, REACHED } from "./fault-points.ts"
import { activityOf, patientRequest } from "./patient-request.ts"

const ROOT = path.resolve(import.meta.dirname, "../..")
const READY_WITHIN_MS = 60_000
const GONE_WITHIN_MS = 20_000

const quiet = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" }

/** The modules of a Worker, the entry first, as files of `folder`. */
interface Modules {
  readonly folder: string
  readonly names: ReadonlyArray<string>
}

/** The Worker without fault points, and its settings: the bundle that `npm start` has cached, or a new one if there is none. */
const realWorker = async (folder: string) => {
  const cached = bundleCache(ROOT).read()
  if (cached !== null) return { source: cached.bundle.entrypointSource as string, config: cached.config } // wrangler's
  const wrangler = path.join(ROOT, "node_modules/wrangler/bin/wrangler.js")
  execFileSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", folder], {
    cwd: ROOT,
    env: quiet,
    stdio: "pipe",
  })
  // It loads wrangler.
  const { workerConfig } = await import("../../scripts/local/worker-config.mjs")
  return { source: fs.readFileSync(path.join(folder, "worker.js"), "utf8"), config: workerConfig() }
}

/** Writes the real Worker, unchanged, and the entry with fault points, which imports it. */
const writeFaultyWorker = async (folder: string) => {
  const { source, config } = await realWorker(folder)
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, "worker.js"), source)
  const importReal: Plugin = {
    name: "the real Worker is a module of its own",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/src\/worker\.ts$/ }, () => ({ path: "./worker.js", external: true })),
  }
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["test/faults/worker.ts"],
    outfile: path.join(folder, "faulty-worker.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    plugins: [importReal],
  })
  const modules: Modules = { folder, names: ["faulty-worker.js", "worker.js"] }
  return { modules, config }
}

/** The statements of all migrations; wrangler's own command takes seconds. */
const migrations = (): ReadonlyArray<string> => {
  const folder = path.join(ROOT, "migrations")
  const files = fs.readdirSync(folder).toSorted()
  const sql = files.map((name) => fs.readFileSync(path.join(folder, name), "utf8").replace(/--.*$/gm, "")).join("\n")
  // A trigger contains statements itself.
  return sql.match(/\s*CREATE TRIGGER[\s\S]*?\bEND\s*;|[^;]*[^;\s][^;]*;/gi) ?? []
}

const killGroup = (pgid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pgid, signal)
  } catch (error) {
    // Only a process error has a code; the group has already ended.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

const spawnServer = () =>
  spawn(process.execPath, [path.join(ROOT, "test/faults/serve.mjs")], {
    cwd: ROOT,
    // Nothing outside this machine is requested. Miniflare is compiled once for all starts, as with `npm start`.
    env: {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      NODE_COMPILE_CACHE: path.join(ROOT, ".wrangler/compiled"),
    },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  })

type Server = ReturnType<typeof spawnServer>

export interface FaultySettings {
  readonly key: string
  readonly apiUrl: string
  /** The state folder; by default a folder under the system's temporary one. */
  readonly folder?: string
  /** How often the hook queue redelivers a message; by default as in production. */
  readonly maxRetries?: number
  readonly vars?: Readonly<Record<string, string>>
}

/** The settings that test/faults/serve.mjs reads; without statements it leaves D1 unchanged. */
interface FaultyStart {
  readonly migrations: ReadonlyArray<string>
  readonly [setting: string]: unknown
}

export class FaultyServer {
  readonly key: string
  readonly url: string
  readonly state: string
  #settings: FaultyStart
  #child: Server | null = null
  /** The process of the next start, which waits for its settings, because loading its modules takes longest. */
  #next: Server | null = null
  #printed = ""
  /** Resolves when the process waits at the last requested moment. */
  #reached: Promise<void> = new Promise(() => undefined)
  #onReached: () => void = () => undefined
  kills = 0
  starts = 0

  private constructor(key: string, url: string, state: string, settings: FaultyStart) {
    this.key = key
    this.url = url
    this.state = state
    this.#settings = settings
    process.on("exit", () => {
      for (const child of [this.#child, this.#next]) if (child?.pid !== undefined) killGroup(child.pid, "SIGKILL")
    })
  }

  static async start({ key, apiUrl, folder, maxRetries, vars = {} }: FaultySettings): Promise<FaultyServer> {
    const state = folder ?? fs.mkdtempSync(path.join(os.tmpdir(), "perch-faults-"))
    const { modules, config } = await writeFaultyWorker(path.join(state, "bundle"))
    // wrangler.toml has this consumer.
    const consumers = config.workerOptions["queueConsumers"] as Record<string, { maxRetries: number }>
    if (maxRetries !== undefined) consumers["perch-hooks"]!.maxRetries = maxRetries
    const port: number = await claimPort(0, "127.0.0.1")
    const settings: FaultyStart = {
      modules,
      config,
      migrations: migrations(),
      state,
      ip: "127.0.0.1",
      port,
      secure: false,
      vars: {
        PERCH_ROOT_KEY: key,
        ANTHROPIC_API_KEY: "sk-test",
        ANTHROPIC_BASE_URL: apiUrl,
        PERCH_FETCH_ALLOW: "127.0.0.1",
        PERCH_FETCH_RESOLVER: "off",
        ...vars,
      },
    }
    const server = new FaultyServer(key, `http://127.0.0.1:${port}`, state, settings)
    await server.#launch()
    return server
  }

  /** Its output since its last start. */
  get printed(): string {
    return this.#printed
  }

  get running(): boolean {
    return this.#child !== null
  }

  async #launch(): Promise<void> {
    const child = this.#next ?? spawnServer()
    this.#next = null
    this.#child = child
    this.#printed = ""
    this.starts += 1
    // A process that ends before it has read its settings reports the reason below.
    child.stdin.on("error", () => undefined)
    // Its stdin stays open, so it ends with this process.
    child.stdin.write(`${JSON.stringify(this.#settings)}\n`)
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no start in time\n${this.#printed}`)), READY_WITHIN_MS)
      child.once("exit", (code, signal) => {
        clearTimeout(timer)
        reject(new Error(`the server ended (${code ?? signal})\n${this.#printed}`))
      })
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          this.#printed = (this.#printed + chunk).slice(-100_000)
          if (/^serving$/m.test(chunk)) {
            clearTimeout(timer)
            resolve()
          }
          if (chunk.includes(REACHED)) this.#onReached()
        })
      }
    })
    this.#settings = { ...this.#settings, migrations: [] }
    this.#next = spawnServer()
  }

  /** Sets what fails, or where to wait. */
  async set(faults: Partial<Faults>): Promise<void> {
    this.#reached = new Promise((resolve) => {
      this.#onReached = resolve
    })
    // A running session may reach that moment before this request is answered: then there is no answer.
    const done = new AbortController()
    const answered = this.#post("/__faults", faults, done.signal)
    await Promise.race([answered, this.#reached])
    done.abort()
    await answered.catch((error: unknown) => {
      if (!done.signal.aborted) throw error
    })
  }

  /** Makes sessions do at once what they would do at their next alarm. */
  async wake(sessions: ReadonlyArray<string>): Promise<void> {
    await this.#post("/__wake", sessions)
  }

  async #post(path: string, body: unknown, stop?: AbortSignal): Promise<void> {
    const pgid = this.#child?.pid
    const look = () => (pgid === undefined ? null : activityOf(pgid))
    const sent = patientRequest(`${this.url}${path}`, JSON.stringify(body), look, { stop })
    const response = await sent.catch((error: unknown) => {
      throw new Error(`${path}: ${String(error)}\n${this.#printed.slice(-2_000)}`)
    })
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
  }

  /** Resolves with true when the process waits at the requested moment, and with false at the timeout. */
  async reached(limitMs: number): Promise<boolean> {
    const waiting = new AbortController()
    const late = delay(limitMs, false, { signal: waiting.signal }).catch(() => false)
    const came = await Promise.race([this.#reached.then(() => true), late])
    waiting.abort()
    return came
  }

  /** Kills the whole group, like a power failure, or asks it to end. */
  async kill(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const pgid = this.#child?.pid
    if (pgid === undefined) return
    this.#child = null
    this.kills += 1
    killGroup(pgid, signal)
    const asked = Date.now()
    while (groupMembers(pgid).length > 0) {
      const waited = Date.now() - asked
      // While it waits, workerd does not react to SIGTERM: SIGKILL follows after a while.
      if (waited > 300) killGroup(pgid, "SIGKILL")
      if (waited > GONE_WITHIN_MS) throw new Error(`processes of group ${pgid} are left`)
      await delay(10)
    }
  }

  async restart(): Promise<void> {
    await this.#launch()
  }

  async dispose(): Promise<void> {
    await this.kill("SIGKILL")
    this.#next?.kill("SIGKILL")
    fs.rmSync(this.state, { recursive: true, force: true, maxRetries: 3 })
  }
}
