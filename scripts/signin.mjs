// `npm run signin`: prints the console's address with a new one-time code, for a server that `npm start` runs.
// Invariant: it reads the root key from the same sources as `npm start`, and never prints it.
import "./output-errors.mjs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { isLoopback, readAddress, readPort, readProtocol, urlOf } from "./local/address.mjs"
import { readVars } from "./local/settings.mjs"
import { signInAddress } from "./local/sign-in-address.mjs"
import { parseOptions } from "./parse-options.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const HELP = `npm run signin -- [options]
  --port N              the port of the server (8787)
  --ip ADDRESS          the loopback address of the server (127.0.0.1)
  --local-protocol P    http or https (http)
  --help                prints this`

const OPTIONS = {
  port: { type: "string", default: "8787" },
  ip: { type: "string", default: "127.0.0.1" },
  "local-protocol": { type: "string", default: "http" },
  help: { type: "boolean", short: "h", default: false },
}

const main = async () => {
  const { values } = parseOptions({ options: OPTIONS }, (sentence) => new Error(`${sentence}\n\n${HELP}`))
  if (values.help) return console.log(HELP)
  const [port, ip] = [readPort("port", values.port), readAddress(values.ip)]
  if (port === 0) throw new Error("--port 0 is not the port of a server: `npm start` prints the one that it chose")
  if (!isLoopback(ip)) throw new Error(`--ip ${ip} is not a loopback address, and only those sign in with a code`)
  const url = urlOf({ protocol: readProtocol(values["local-protocol"]), ip, port })
  const key = process.env.PERCH_ROOT_KEY || readVars(path.join(ROOT, ".dev.vars")).PERCH_ROOT_KEY
  if (!key) throw new Error("There is no root key yet: `npm start` creates one.")
  console.log(await signInAddress(url, key))
}

const REASONS = {
  ECONNREFUSED: "no server answers there. `npm start` starts one; --port N names its port.",
  HPE_INVALID_CONSTANT: "what answers there does not answer over http. Try --local-protocol https.",
  EPROTO: "what answers there does not answer over https. Try --local-protocol http.",
}

main().catch((error) => {
  console.error(`perch: ${REASONS[error.code] ?? error.message}`)
  process.exitCode = 1
})
