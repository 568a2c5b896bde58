// Receives the options of `npm start` (scripts/local/arguments.mjs lists them); serves Perch on this machine.
// Steps: root key, the pages of `public/` (scripts/site/build.mjs), the Worker in workerd with its D1 migrations
// (scripts/local/serve.mjs), and the address once it answers.
// Invariant: it ends with every process that it started (scripts/local/guard.mjs sees to it when this one is killed), and
// with a reason when it could not serve.
import "./local/guard.mjs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { isLocal } from "./doctor/ask.mjs"
import { lineOf } from "./doctor/finding.mjs"
import { checkDisks } from "./doctor/machine.mjs"
import { checkPackages } from "./doctor/packages.mjs"
import { checkServed } from "./doctor/server.mjs"
import { checkSettings } from "./doctor/settings.mjs"
import { isLoopback, urlOf } from "./local/address.mjs"
import { allowedHosts, checkExposure, HELP, readArguments } from "./local/arguments.mjs"
import { claimPort } from "./local/port.mjs"
import { npmAlive } from "./local/npm-alive.mjs"
import { descendantsOf } from "./local/processes.mjs"
import { runNode } from "./local/run-node.mjs"
import { makeStateFolder, ready, stop } from "./local/server-process.mjs"
import { loadSettings } from "./local/settings.mjs"
import { signInAddress } from "./local/sign-in-address.mjs"
import { buildSite } from "./site/build.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const PARENT_EVERY_MS = 250
const started = Date.now()

/** The command that prints another sign-in address of this server. */
const signInCommand = ({ protocol, ip, port }) => {
  const options = [
    ...(port === 8787 ? [] : [`--port ${port}`]),
    ...(ip === "127.0.0.1" ? [] : [`--ip ${ip}`]),
    ...(protocol === "http" ? [] : [`--local-protocol ${protocol}`]),
  ]
  return ["npm run signin", ...(options.length === 0 ? [] : ["--", ...options])].join(" ")
}

/** The lines about the console: its address signs in once, if only this machine can reach the server. */
const consoleLines = (url, address, again) =>
  address === undefined
    ? `  console  ${url}/   (sign in with the key)`
    : `  console  ${address}
           signs you in once, within ten minutes; \`${again}\` prints another address`

/** The settings that have no effect, and what the server refuses requests for; the doctor reports the same. */
const settingLines = async (url, key) => {
  const found = checkSettings(ROOT, process.env).findings.filter(({ level }) => level !== "ok")
  const served = isLocal(url) ? await checkServed(url, key) : []
  const others = served.filter(({ message }) => !found.some(({ about }) => message.includes(about)))
  return [...found, ...others].map((finding) => `  ${lineOf(finding)}\n`).join("")
}

const announce = (url, settings, inspector, { address, again, lines }) => {
  const live = settings.vars.ANTHROPIC_API_KEY || settings.vars.ANTHROPIC_BASE_URL
  const key = settings.keyIsLocal ? settings.vars.PERCH_ROOT_KEY : "…   # the value of PERCH_ROOT_KEY"
  const body = {
    prompt: "Create notes.txt with the text: hello from Perch. Then read notes.txt.",
    options: { permissionMode: "acceptEdits" },
  }
  console.log(`Perch is ready at ${url} after ${((Date.now() - started) / 1000).toFixed(1)} s
${consoleLines(url, address, again)}
  model    ${live ? "live (Messages API)" : "offline (built in; set ANTHROPIC_API_KEY to use Claude)"}
  key      ${settings.keyIsLocal ? "from .dev.vars" : "from the environment (PERCH_ROOT_KEY)"}
${lines}`)
  if (inspector !== undefined) {
    console.log(`  --inspect: the inspector at ${inspector} and the explorer at ${url}/cdn-cgi/local/explorer are open.
  They need no key: every program and web page on this machine can read and change everything here.
`)
  }
  console.log(`Try it without the console, in another terminal:

export PERCH_KEY=${key}
curl -N${url.startsWith("https") ? "k" : ""} ${url}/v1/query \\
  -H "Authorization: Bearer $PERCH_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Accept: text/event-stream" \\
  -d '${JSON.stringify(body)}'
`)
}

const claimInspectorPort = (wanted, port) => {
  if (wanted === port) throw new Error(`--inspect-port ${wanted} is the port of the server: choose another`)
  return claimPort(wanted, "127.0.0.1", "inspect-port")
}

/**
 * Prints why there is no server, and what may be the cause: packages that are missing or of another version, and a full disk
 * of one of the folders that it writes.
 */
const printFailure = (error, folders = [ROOT]) => {
  console.error(`perch: ${error.message}`)
  for (const finding of [...checkPackages(ROOT), ...checkDisks(folders)].filter(({ level }) => level === "fail"))
    console.error(`  ${lineOf(finding)}`)
}

const main = async () => {
  // Files of this process and its children are only accessible to this user.
  process.umask(0o077)
  const wanted = readArguments(process.argv.slice(2), ROOT)
  if (wanted.help) {
    console.log(HELP)
    process.exit(0)
  }
  const { state, ip, protocol } = wanted
  const settings = loadSettings(ROOT, process.env)
  checkExposure(ip, settings.vars.PERCH_ROOT_KEY)
  const port = await claimPort(wanted.port, ip)
  // workerd does not report an inspector's port that is taken: it would never be ready.
  const inspect = wanted.inspect === undefined ? undefined : await claimInspectorPort(wanted.inspect, port)
  makeStateFolder(state)
  const url = urlOf({ protocol, ip, port })

  let run = null
  let stopping
  const end = (code) => {
    stopping ??= (async () => {
      if (run) await stop(run)
      process.exit(code)
    })()
    return stopping
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    // A second signal does not wait: the guards end what is left.
    process.on(signal, () => (stopping === undefined ? void end(0) : process.exit(0)))
  }
  // The reader of the output has ended (`npm start | head`), or the terminal was closed.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => void end(0))
  if (process.env.npm_lifecycle_event !== undefined) {
    const alive = npmAlive()
    setInterval(() => alive() || void end(0), PARENT_EVERY_MS).unref()
  }

  const local = { PERCH_LOCAL_HOSTS: allowedHosts(wanted), PERCH_LOCAL_SIGN_IN: String(isLoopback(ip)) }
  const vars = { ...settings.vars, ...local }
  const input = { ip, port, state, secure: protocol === "https", inspect, vars }
  await buildSite()
  run = runNode(ROOT, [path.join(ROOT, "scripts/local/serve.mjs")], JSON.stringify(input))
  try {
    await ready(run, url)
  } catch (error) {
    if (stopping) return stopping
    console.error(run.output)
    printFailure(error, [ROOT, state])
    return end(1)
  }
  // Without a code the key is used to sign in: the server still runs.
  const [address, lines] = await Promise.all([
    isLoopback(ip) ? signInAddress(url, vars.PERCH_ROOT_KEY).catch(() => undefined) : undefined,
    settingLines(url, vars.PERCH_ROOT_KEY),
  ])
  if (stopping) return stopping
  const processes = descendantsOf(process.pid)
  const inspector = /^inspector (\S+)$/m.exec(run.output)?.[1]
  // Sessions that continued by themselves have been logged meanwhile.
  const logged = run.output.replaceAll(/^(?!\{).*(?:\n|$)/gm, "")
  run.show()
  announce(url, settings, inspector, { address, again: signInCommand({ protocol, ip, port }), lines })
  process.stdout.write(logged)
  const code = await run.exited
  if (stopping) return stopping
  await stop(run, processes)
  throw new Error(`the server ended (exit code ${code})`)
}

main().catch((error) => {
  printFailure(error)
  process.exit(1)
})
