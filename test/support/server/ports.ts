// Receives a process group; returns every port that it listens on, and what a client without a key receives there. Reads /proc,
// so it works only on Linux. The client tries names, origins and paths that are open in other servers.
import fs from "node:fs"
import http from "node:http"
import net from "node:net"
import { groupMembers } from "./process/group-members.mjs"

export interface Listener {
  readonly pid: number
  readonly command: string
  readonly address: string
  readonly port: number
}

const LISTEN = "0A"

/** "0100007F:1F90" as /proc writes it: little-endian words. */
const readAddress = (text: string): { address: string; port: number } => {
  const [hex = "", port = "0"] = text.split(":")
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse())
  const address =
    bytes.length === 4
      ? bytes.map((byte) => Number.parseInt(byte, 16)).join(".")
      : new URL(`http://[${(bytes.join("").match(/.{4}/g) ?? []).join(":")}]`).hostname
  return { address, port: Number.parseInt(port, 16) }
}

/** The result of `read`, or `gone` if its file no longer exists: processes end and close descriptors meanwhile. */
const unlessGone = <A>(read: () => A, gone: A): A => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return gone
    throw error
  }
}

const socketsOf = (pid: number): ReadonlyArray<string> => {
  const folder = `/proc/${pid}/fd`
  return unlessGone(() => fs.readdirSync(folder), []).flatMap((fd) => {
    const target = unlessGone(() => fs.readlinkSync(`${folder}/${fd}`), "")
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []
  })
}

export const listenersOf = (pgid: number): ReadonlyArray<Listener> => {
  const owners = new Map<string, { pid: number; command: string }>()
  for (const { pid, command } of groupMembers(pgid))
    for (const inode of socketsOf(pid)) owners.set(inode, { pid, command })
  return ["/proc/net/tcp", "/proc/net/tcp6"]
    .flatMap((file) => fs.readFileSync(file, "utf8").trim().split("\n").slice(1))
    .flatMap((line) => {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/)
      const owner = owners.get(inode)
      return state === LISTEN && owner !== undefined ? [{ ...owner, ...readAddress(local) }] : []
    })
    .toSorted((left, right) => left.port - right.port)
}

export interface Probe {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface ProbeAnswer {
  /** 0 if the port does not answer over HTTP or closed the connection. */
  readonly status: number
  readonly body: string
}

const EVIL = "evil.example"

const PATHS = [
  "/",
  "/index.html",
  "/json",
  "/json/list",
  "/json/version",
  "/cdn-cgi/explorer/",
  "/cdn-cgi/explorer/api/d1/database",
  "/cdn-cgi/local/explorer",
  "/cdn-cgi/local/explorer/api/d1/database",
  "/cdn-cgi/local/explorer/api/workers/durable_objects/namespaces",
  "/cdn-cgi/mf/scheduled",
  "/cdn-cgi/handler/scheduled",
  "/cdn-cgi/local/scheduled",
  "/cdn-cgi/handler/email?from=a@b.c&to=d@e.f",
  "/cdn-cgi/local/email?from=a@b.c&to=d@e.f",
  "/cdn-cgi/mf/reload",
  "/cdn-cgi/platform-proxy",
  "/cdn-cgi/local/platform-proxy",
  "/cdn-cgi/local/r2/public/x",
  "/cdn-cgi/local/r2/s3/x",
  "/cdn-cgi/ProxyWorker/play",
  "/cdn-cgi/InspectorProxyWorker/",
  "/__cf_local/stream/x",
  "/__cf_local/imagedelivery/x",
  "/core/public",
  "/core/log",
  "/core/error",
  "/core/dev-registry",
  "/devtools/page/x",
  "/v1/sessions",
  "/v1/admin/keys",
  "/mcp",
]

const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}

/** The probes of a port: paths, then what a page of another name, and a program with Miniflare's own headers, would add. */
export const probesOf = (port: number): ReadonlyArray<Probe> => {
  const own = { host: `127.0.0.1:${port}` }
  const get = (name: string, path: string, headers: Readonly<Record<string, string>>): Probe => ({
    name,
    method: "GET",
    path,
    headers,
  })
  return [
    ...PATHS.map((path) => get("GET", path, own)),
    ...PATHS.map((path): Probe => ({ name: "POST", method: "POST", path, headers: { ...own, "content-length": "0" } })),
    ...PATHS.map((path) => get("Host: evil", path, { host: `${EVIL}:${port}` })),
    ...PATHS.map((path) => get("Origin: evil", path, { ...own, origin: `http://${EVIL}` })),
    ...["/", "/healthz", "/v1/models", "/cdn-cgi/local/explorer"].flatMap((path) => [
      get("Host: none of ours", path, { host: "localhost.evil.example" }),
      get("Host: with a user", path, { host: "localhost@evil.example" }),
      get("Host: ends in ours", path, { host: `evil.localhost:${port}` }),
      get("Host: a number", path, { host: `2130706433:${port}` }),
      get("Host: empty", path, { host: "" }),
      get("MF-Original-URL", path, { host: EVIL, "mf-original-url": `http://127.0.0.1:${port}${path}` }),
      get("X-Forwarded-Host", path, { host: EVIL, "x-forwarded-host": "127.0.0.1", "x-forwarded-proto": "http" }),
    ]),
    ...["/", "/cdn-cgi/local/platform-proxy"].flatMap((path) => [
      get("MF-Op", path, {
        ...own,
        "mf-op": "GET",
        "mf-op-target": "0",
        "mf-op-key": "env",
        "mf-op-secret": "0".repeat(32),
      }),
      get("MF-Proxy-Shared-Secret", path, { ...own, "mf-proxy-shared-secret": "x" }),
      get("MF-Route-Override", path, { ...own, "mf-route-override": "core:entry" }),
      get("MF-CF-Blob", path, { ...own, "mf-cf-blob": "{" }),
      get("MF-Custom-Fetch-Service", path, { ...own, "mf-custom-fetch-service": "x" }),
      get("MF-Loopback-Secret", path, { ...own, "mf-loopback-secret": "x" }),
    ]),
    ...[
      "/",
      "/ws",
      "/json",
      "/core:user:perch",
      "/cdn-cgi/live-reload",
      "/cdn-cgi/local/explorer",
      "/v1/sessions/x/socket",
    ].flatMap((path) => [
      get("WebSocket", path, { ...own, ...upgrade }),
      get("WebSocket, Origin: evil", path, { ...own, ...upgrade, origin: `http://${EVIL}` }),
      get("WebSocket, Host: evil", path, { ...upgrade, host: EVIL }),
      get("WebSocket, live reload", path, {
        ...own,
        ...upgrade,
        "sec-websocket-protocol": "WRANGLER_PROXY_WORKER_RELOAD",
      }),
    ]),
  ]
}

/** Each probe has an answer; hundreds that are sent at the same time may take this long. */
const PROBED_WITHIN_MS = 30_000
/** A port that has sent nothing by then waits for another protocol. */
const ANSWER_WITHIN_MS = 3_000
/** The first byte of the frame that closes a WebSocket. */
const CLOSE_FRAME = 0x88

/** Sends one probe; the headers are sent unchanged, so that `Host` may have any value. */
export const probe = (address: string, port: number, { method, path, headers }: Probe): Promise<ProbeAnswer> =>
  new Promise((resolve) => {
    const request = http.request({ host: address, port, method, path, headers, agent: false, setHost: false })
    const end = (status: number, body: string) => {
      clearTimeout(timer)
      resolve({ status, body: body.slice(0, 20_000) })
      request.destroy()
    }
    const timer = setTimeout(() => end(0, "(no answer)"), PROBED_WITHIN_MS)
    request.on("response", (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => (body += chunk))
      response.on("end", () => end(response.statusCode ?? 0, body))
      response.on("error", () => end(response.statusCode ?? 0, body))
    })
    request.on("upgrade", (_, socket, head) => {
      const read = (bytes: Buffer) => end(101, bytes[0] === CLOSE_FRAME ? `closed ${bytes.readUInt16BE(2)}` : "(open)")
      if (head.length > 0) return read(head)
      socket.once("data", read)
      socket.on("error", () => undefined)
    })
    request.on("error", (error) => end(0, `(${error.message})`))
    request.end()
  })

/** What a port first sends to a client that sends nothing, or sends bytes that are not HTTP. */
export const rawAnswer = (address: string, port: number, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = net.connect(port, address)
    let text = ""
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(text.slice(0, 2_000))
    }
    const timer = setTimeout(end, ANSWER_WITHIN_MS)
    socket.on("connect", () => socket.write(bytes))
    socket.on("data", (chunk) => (text += chunk.toString("latin1")))
    socket.on("close", end)
    socket.on("error", end)
  })
