// Receives `--port`, `--persist-to`, `--ip`, `--local-protocol` and whatever else `wrangler dev` takes; serves Perch here.
// Steps: root key, env file, D1 migrations, `wrangler dev`, and a word when it answers.
// Invariant: it ends with every process that it started, and with a reason when it could not serve.
import { spawn } from "node:child_process"
import fs from "node:fs"
import http from "node:http"
import https from "node:https"
import net from "node:net"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { isMigrated, migrateArguments } from "./local/migrate.mjs"
import { descendantsOf, sendSignal, stillRunning } from "./local/processes.mjs"
import { loadSettings, writeEnvFile } from "./local/settings.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const READY_WITHIN_MS = 90_000
const PARENT_EVERY_MS = 250
const STOP_WITHIN_MS = 5_000
const started = Date.now()

/** Splits the arguments into those that we read and those that only wrangler reads. */
const readArguments = (argv) => {
  const own = {
    "--port": "8787",
    "--persist-to": path.join(ROOT, ".wrangler/state"),
    "--ip": "127.0.0.1",
    "--local-protocol": "http",
  }
  const others = []
  for (let index = 0; index < argv.length; index += 1) {
    const [name, inline] = argv[index].split(/=(.*)/s)
    if (!(name in own)) others.push(argv[index])
    else if (inline === undefined && argv[index + 1] === undefined) throw new Error(`${name} needs a value`)
    else own[name] = inline ?? argv[++index]
  }
  const port = Number(own["--port"])
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${own["--port"]} is not a port`)
  return { port, state: path.resolve(own["--persist-to"]), ip: own["--ip"], protocol: own["--local-protocol"], others }
}

/** Resolves to the port when it can be listened on. */
const tryPort = (port, ip) =>
  new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once("error", (error) => {
      const taken = error.code === "EADDRINUSE"
      reject(taken ? new Error(`port ${port} is taken: stop what uses it, or choose another with --port`) : error)
    })
    server.listen(port, ip, () => {
      const { port: claimed } = server.address()
      server.close(() => resolve(claimed))
    })
  })

/**
 * Resolves to a port that can be listened on; 0 becomes a free one below those that the system gives to whoever asks,
 * so that it is still free in the second before wrangler takes it, and after a restart.
 */
const claimPort = async (wanted, ip) => {
  for (let tries = 0; wanted === 0 && tries < 50; tries += 1) {
    const port = await tryPort(20_000 + Math.floor(Math.random() * 12_000), ip).catch(() => 0)
    if (port !== 0) return port
  }
  return tryPort(wanted, ip)
}

const localNode = path.join(ROOT, "node_modules/.bin/node")
const node = fs.existsSync(localNode) ? localNode : process.execPath
const wrangler = path.join(ROOT, "node_modules/wrangler/bin/wrangler.js")

/** Starts wrangler; what it prints is kept until `show()` lets it through. */
const runWrangler = (args, state) => {
  const env = {
    ...process.env,
    CI: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_WRITE_LOGS: "false",
    WRANGLER_REGISTRY_PATH: path.join(state, "registry"),
    // Wrangler's own traces of every request: they cost more than most requests do.
    X_LOCAL_OBSERVABILITY: process.env["X_LOCAL_OBSERVABILITY"] ?? "false",
  }
  const child = spawn(node, [wrangler, ...args], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] })
  const run = { child, output: "", shown: false, seen: () => {}, show: () => {} }
  for (const [source, target] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    source.on("data", (chunk) => {
      if (run.shown) return target.write(chunk)
      run.output += chunk
      run.seen()
    })
  }
  run.show = () => {
    run.shown = true
    run.output = ""
  }
  // Not "close": a grandchild that outlives wrangler would keep the pipes open.
  run.exited = new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)))
  return run
}

/** One look at the server: true when `/healthz` answers 200. A self-signed certificate will do. */
const answers = (url) =>
  new Promise((resolve) => {
    const client = url.startsWith("https") ? https : http
    const request = client.get(
      `${url}/healthz`,
      { rejectUnauthorized: false, timeout: 2_000, agent: false },
      (response) => {
        response.resume()
        resolve(response.statusCode === 200)
      },
    )
    request.once("timeout", () => request.destroy())
    request.once("error", () => resolve(false))
  })

/** Resolves when the server answers; rejects when the build fails, wrangler ends or the time is up. */
const ready = (run, url) =>
  new Promise((resolve, reject) => {
    run.seen = () => {
      if (/Build failed with \d+ error/.test(run.output))
        setTimeout(reject, 300, new Error("the server could not be built"))
    }
    void run.exited.then(() => reject(new Error("wrangler dev ended before the server was ready")))
    const look = async () => {
      if (await answers(url)) resolve()
      else if (Date.now() - started > READY_WITHIN_MS)
        reject(new Error(`no answer from ${url} within ${READY_WITHIN_MS / 1000} s`))
      else setTimeout(look, 100)
    }
    void look()
  })

/** Ends wrangler and all below it: asks first, then insists. */
const stop = async (run, known = new Map()) => {
  const processes = new Map([...known, ...descendantsOf(process.pid)])
  const gone = run.child.exitCode !== null || run.child.signalCode !== null
  if (!gone) sendSignal(run.child.pid, "SIGTERM")
  const deadline = Date.now() + (gone ? 0 : STOP_WITHIN_MS)
  while (stillRunning(processes).length > 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50))
  for (const pid of stillRunning(processes)) sendSignal(pid, "SIGKILL")
}

const announce = (url, settings) => {
  const live = settings.vars.ANTHROPIC_API_KEY || settings.vars.ANTHROPIC_BASE_URL
  const key = settings.keyIsLocal ? settings.vars.PERCH_ROOT_KEY : "$PERCH_ROOT_KEY"
  const body = {
    prompt: "Create notes.txt with the text: hello from Perch. Then read notes.txt.",
    options: { permissionMode: "acceptEdits" },
  }
  console.log(`Perch is ready at ${url} after ${((Date.now() - started) / 1000).toFixed(1)} s
  model  ${live ? "live (Messages API)" : "offline (built in; set ANTHROPIC_API_KEY to use Claude)"}
  key    ${settings.keyIsLocal ? `${key}  (from .dev.vars)` : "the value of PERCH_ROOT_KEY"}

Try it:

curl -N${url.startsWith("https") ? "k" : ""} ${url}/v1/query \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -H "Accept: text/event-stream" \\
  -d '${JSON.stringify(body)}'
`)
}

const main = async () => {
  const { port: wanted, state, ip, protocol, others } = readArguments(process.argv.slice(2))
  const port = await claimPort(wanted, ip)
  const settings = loadSettings(ROOT, process.env)
  const envFile = writeEnvFile(state, settings.vars)
  const host = ip === "0.0.0.0" || ip === "*" ? "127.0.0.1" : ip.includes(":") ? `[${ip}]` : ip
  const url = `${protocol}://${host}:${port}`

  let run
  let stopping
  const end = (code) => {
    stopping ??= (async () => {
      if (run) await stop(run)
      fs.rmSync(envFile, { force: true })
      process.exit(code)
    })()
    return stopping
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => void end(0))
  // npm hands a SIGTERM to its shell, which ends without handing it on: the new parent gives that away.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event !== undefined) {
    setInterval(() => process.ppid !== parent && void end(0), PARENT_EVERY_MS).unref()
  }

  if (!(await isMigrated(ROOT, state))) {
    run = runWrangler(migrateArguments(state), state)
    const code = await run.exited
    if (stopping) return stopping
    if (code !== 0) throw new Error(`the D1 migrations could not be applied\n${run.output}`)
  }

  const flags = ["--port", port, "--ip", ip, "--local-protocol", protocol, "--persist-to", state, "--env-file", envFile]
  run = runWrangler(["dev", ...flags.map(String), "--inspector-port", "0", ...others], state)
  try {
    await ready(run, url)
  } catch (error) {
    if (stopping) return stopping
    console.error(run.output)
    console.error(`perch: ${error.message}`)
    return end(1)
  }
  const processes = descendantsOf(process.pid)
  run.show()
  announce(url, settings)
  const code = await run.exited
  if (stopping) return stopping
  await stop(run, processes)
  fs.rmSync(envFile, { force: true })
  throw new Error(`wrangler dev ended (exit code ${code})`)
}

main().catch((error) => {
  console.error(`perch: ${error.message}`)
  process.exit(1)
})
