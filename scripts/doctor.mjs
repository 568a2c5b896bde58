// `npm run doctor`: finds out what is wrong with this set-up and says what to do, a line each. Ends with 1 when something
// does not work. `--online` also tries the key of the Messages API; `--url` looks at a deployed server instead.
// Invariant: it needs no package and no new Node, changes nothing, asks only loopback unless an option says otherwise, and prints no secret.
import "./output-errors.mjs"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { fail, lineOf, ok } from "./doctor/finding.mjs"
import { checkClock, checkDisks, checkFolder, checkPort, checkState } from "./doctor/machine.mjs"
import { checkNode, checkPackages } from "./doctor/packages.mjs"
import { checkModel, checkServer } from "./doctor/server.mjs"
import { checkSettings } from "./doctor/settings.mjs"
import { checkWrangler } from "./doctor/wrangler.mjs"
import { isLoopback, isWildcard, readAddress, readPort, readProtocol, urlOf } from "./local/address.mjs"
import { typedFolder } from "./typed-folder.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

const HELP = `npm run doctor -- [options]
  --url URL           looks at a deployed server; PERCH_KEY in the environment, its root key, shows more
  --online            also asks the Messages API whether it takes the key of npm start
  --port N            the port of npm start (8787)
  --ip ADDRESS        the address of npm start (127.0.0.1)
  --local-protocol P  the protocol of npm start: http or https (http)
  --persist-to DIR    the state folder of npm start (.wrangler/state)
  --help              prints this`

const TAKES_VALUE = ["--url", "--port", "--ip", "--local-protocol", "--persist-to"]

/** An old Node lacks `parseArgs`. */
const readArguments = (argv) => {
  const found = {}
  for (let at = 0; at < argv.length; at += 1) {
    const [name, inline] = argv[at].split(/=(.*)/s)
    if (name === "--online") found.online = true
    else if (name === "--help" || name === "-h") found.help = true
    else if (!TAKES_VALUE.includes(name)) throw new Error(`${name} is not an option.\n\n${HELP}`)
    else if (inline !== undefined) found[name.slice(2)] = inline
    else if (argv[at + 1] === undefined) throw new Error(`${name} needs a value.\n\n${HELP}`)
    else found[name.slice(2)] = argv[(at += 1)]
  }
  if (found["persist-to"] === "") throw new Error("--persist-to is empty: give the folder of the state")
  if (found.url !== undefined && !/^https?:\/\/[^/?#]+\/?$/.test(found.url))
    throw new Error(`--url ${found.url} is not an address such as https://perch.example.com`)
  const [unused] = Object.keys(found).filter((name) => name !== "url" && name !== "help")
  if (found.url !== undefined && unused !== undefined)
    throw new Error(`--${unused} is about npm start on this machine: give either it or --url`)
  const ip = readAddress(found.ip ?? "127.0.0.1")
  if (!isLoopback(ip) && !isWildcard(ip))
    throw new Error(`--ip ${ip} can be reached by other machines: ask a server there with --url https://…`)
  return {
    ...found,
    ip,
    port: readPort("port", found.port ?? "8787"),
    protocol: readProtocol(found["local-protocol"] ?? "http"),
  }
}

/** The state of this checkout, read from its files: none of its code is loaded. */
const expectedOf = () => {
  const read = (name) => fs.readFileSync(path.join(ROOT, name), "utf8")
  const version = read("src/schemas/version.ts")
  return {
    perch: JSON.parse(read("package.json")).version,
    compatibility_date: /COMPATIBILITY_DATE = "(.*)"/.exec(version)?.[1],
    migration: /LAST_MIGRATION = "(.*)"/.exec(version)?.[1],
  }
}

const localFindings = async (wanted, expected) => {
  const now = Date.now()
  const { port, ip, protocol } = wanted
  const state = path.resolve(typedFolder(["doctor"]), wanted["persist-to"] ?? path.join(ROOT, ".wrangler/state"))
  const { vars, findings } = checkSettings(ROOT, process.env)
  const { taken, findings: portFindings } = await checkPort(port, ip)
  const running = taken
    ? await checkServer(urlOf({ protocol, ip, port }), { expected, key: vars.PERCH_ROOT_KEY, now })
    : [...portFindings, ok("server", "not running; `npm start` starts it")]
  return [
    checkFolder(ROOT),
    ...checkPackages(ROOT),
    ...findings,
    ...checkWrangler(ROOT, expected.compatibility_date),
    ...(await checkState(ROOT, state)),
    ...checkDisks([ROOT, state]),
    ...checkClock(ROOT, expected.compatibility_date, now),
    ...running,
    ...(wanted.online ? await checkModel(vars) : []),
  ]
}

const main = async () => {
  const wanted = readArguments(process.argv.slice(2))
  if (wanted.help) return console.log(HELP)
  const expected = expectedOf()
  const findings = checkNode(process.version)
  // The remaining checks need a current Node.
  if (findings.some(({ level }) => level === "fail")) findings.push(...checkPackages(ROOT))
  else if (wanted.url === undefined) findings.push(...(await localFindings(wanted, expected)))
  else {
    const url = wanted.url.replace(/\/$/, "")
    findings.push(...(await checkServer(url, { expected, key: process.env.PERCH_KEY, now: Date.now() })))
  }
  for (const finding of findings) console.log(lineOf(finding))
  const failed = findings.filter(({ level }) => level === "fail").length
  console.log(failed === 0 ? "\nNothing is broken." : `\n${failed} to fix.`)
  process.exitCode = failed === 0 ? 0 : 1
}

main().catch((error) => {
  const [message, ...help] = error.message.split("\n")
  console.log([lineOf(fail("doctor", message)), ...help].join("\n"))
  process.exitCode = 1
})
