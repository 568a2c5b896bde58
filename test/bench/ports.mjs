// node_modules/.bin/node test/bench/ports.mjs [start options]: starts Perch as `npm start` does, lists every port that its process group
// listens on, and prints what a client without a key gets at each: answers of one kind are counted together.
import { startServer } from "../support/server/server.ts"
import { listenersOf, probe, probesOf } from "../support/server/ports.ts"

const server = await startServer({ args: process.argv.slice(2) })
try {
  const listeners = listenersOf(server.pgid)
  console.log(`${listeners.length} listening ports in process group ${server.pgid}\n`)
  for (const { address, port, pid, command } of listeners) {
    const probes = probesOf(port)
    const kinds = new Map()
    for (const one of probes) {
      const { status, body } = await probe(address, port, one)
      const text = body
        .replace(/"request_id":"[^"]*"/, "")
        .replace(/There is no .*?(?=")/, "There is no …")
        .replace(/\s+/g, " ")
        .slice(0, 110)
      const key = `${status} ${text}`
      kinds.set(key, [...(kinds.get(key) ?? []), `${one.name} ${one.path}`])
    }
    console.log(`${address}:${port}  ${command} (pid ${pid})  ${probes.length} probes`)
    for (const [key, names] of kinds)
      console.log(`  ${String(names.length).padStart(4)} × ${key}\n         e.g. ${names.slice(0, 4).join(" · ")}`)
    console.log("")
  }
} finally {
  await server.dispose()
}
