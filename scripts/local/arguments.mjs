// Receives the command line of `npm start`; returns the address to listen on, the hostnames to answer to and the state folder.
// Invariant: unknown options are rejected by name, and an address that others can reach needs a long root key.
import path from "node:path"
import { parseOptions } from "../parse-options.mjs"
import { typedFolder } from "../typed-folder.mjs"
import { isLoopback, isWildcard, literal, readAddress, readPort, readProtocol } from "./address.mjs"

const KEY_LENGTH = 32
const INSPECTOR_PORT = 9229

const OPTIONS = {
  port: { type: "string", default: "8787" },
  "persist-to": { type: "string" },
  ip: { type: "string", default: "127.0.0.1" },
  host: { type: "string", multiple: true, default: [] },
  "local-protocol": { type: "string", default: "http" },
  inspect: { type: "boolean", default: false },
  "inspect-port": { type: "string", default: String(INSPECTOR_PORT) },
  help: { type: "boolean", short: "h", default: false },
}

export const HELP = `npm start -- [options]
  --port N              port to listen on; 0 takes a free one (8787)
  --persist-to DIR      folder of the state (.wrangler/state)
  --ip ADDRESS          address to listen on (127.0.0.1); others than loopback need a PERCH_ROOT_KEY of ${KEY_LENGTH} characters
  --host NAME           a further name that requests may use for this server; repeatable
  --local-protocol P    http or https, with a self-signed certificate (http)
  --inspect             opens workerd's inspector and wrangler's explorer, which need no key, for debugging
  --inspect-port N      port of the inspector (${INSPECTOR_PORT})
  --help                prints this`

/** A host as a browser names it in `Host`: in lower case, non-ASCII letters as Punycode, an IPv6 address in brackets. */
const readHost = (name) => {
  const address = literal(name)
  if (address !== undefined) return address.includes(":") ? `[${address}]` : address
  if (name === "" || /[:/?#@\\,\s]/.test(name) || !URL.canParse(`http://${name}/`))
    throw new Error(`--host ${name} is not a host name such as perch.example, without a scheme and a port`)
  return new URL(`http://${name}/`).hostname.replace(/\.$/, "")
}

/** The settings of the command line. Throws an error that names what is wrong. */
export const readArguments = (argv, root, env = process.env) => {
  const { values } = parseOptions({ args: argv, options: OPTIONS }, (sentence) => new Error(`${sentence}\n\n${HELP}`))
  if (values["persist-to"] === "") throw new Error("--persist-to is empty: give the folder of the state")
  return {
    port: readPort("port", values.port),
    state: path.resolve(typedFolder(["start", "dev"], env), values["persist-to"] ?? path.join(root, ".wrangler/state")),
    ip: readAddress(values.ip, "; a further name is given with --host"),
    names: values.host.map(readHost),
    protocol: readProtocol(values["local-protocol"]),
    inspect: values.inspect ? readPort("inspect-port", values["inspect-port"]) : undefined,
    help: values.help,
  }
}

/** Refuses an address that other machines can reach if the root key could be guessed. */
export const checkExposure = (ip, rootKey) => {
  if (isLoopback(ip) || rootKey.length >= KEY_LENGTH) return
  throw new Error(
    `--ip ${ip} can be reached by other machines, and PERCH_ROOT_KEY has ${rootKey.length} characters. ` +
      `Give one of at least ${KEY_LENGTH}: PERCH_ROOT_KEY=$(openssl rand -hex 24)`,
  )
}

/**
 * The hosts that a request may name, for the Worker's `PERCH_LOCAL_HOSTS`. A page of another name that resolves to this
 * address (DNS rebinding) is refused. `<ip>` matches any IP address: the wildcard listens on all that the machine has.
 */
export const allowedHosts = ({ ip, names }) => {
  const own = isWildcard(ip) ? ["<ip>"] : [ip.includes(":") ? `[${ip}]` : ip]
  return [...new Set(["localhost", "127.0.0.1", "[::1]", ...own, ...names])].join(",")
}
