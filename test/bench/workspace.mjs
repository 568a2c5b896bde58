// What a large workspace costs a server: 10,000 files of 2 KB, or one of 32 MiB, in one session, over REST and by tool
// calls of a scripted model. Times are those of the requests, CPU is the user time that workerd took for them.
//   node_modules/.bin/node test/bench/workspace.mjs [--files 10000] [--mebibytes 32]
import { parseArgs } from "node:util"
import fs from "node:fs"
import { packTar } from "modern-tar"
import { groupMembers } from "../support/server/process/group-members.mjs"
import { PerchClient } from "../support/server/client.ts"
import { createFakeApi } from "../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text } from "../support/session/scripts.ts"
import { startServer } from "../support/server/server.ts"
import { randomFrom } from "./random.ts"

const { values: flags } = parseArgs({
  options: { files: { type: "string", default: "10000" }, mebibytes: { type: "string", default: "32" } },
})
const FILE_BYTES = 2048
const LIMIT_MS = 6 * 60_000
const OPTIONS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }
/** The kernel counts CPU time in hundredths of a second. */
const TICK_MS = 10

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130))
setTimeout(() => {
  console.error(`bench: not done within ${LIMIT_MS / 60_000} minutes`)
  process.exit(1)
}, LIMIT_MS).unref()

const next = randomFrom(7)
const letters = (most) =>
  Array.from({ length: 2 + Math.floor(next() * most) }, () => String.fromCharCode(97 + Math.floor(next() * 26))).join(
    "",
  )

/** Words, some with a number, in lines of about fifty characters. */
const page = () => {
  let out = ""
  while (out.length < FILE_BYTES)
    out += letters(8) + (next() < 0.05 ? `_${Math.floor(next() * 1000)}` : "") + (next() < 0.12 ? "\n" : " ")
  return out.slice(0, FILE_BYTES)
}

const api = await createFakeApi()
let server
try {
  server = await startServer({ apiUrl: api.url, env: { PERCH_LOG: "debug" } })
  const perch = new PerchClient(server)

  const workerds = () => groupMembers(server.pgid).filter(({ pid }) => /^Name:\s+workerd/m.test(status(pid)))
  const status = (pid) => fs.readFileSync(`/proc/${pid}/status`, "utf8")
  const megabytes = () =>
    Math.round(
      workerds().reduce((sum, { pid }) => sum + Number(/^VmRSS:\s+(\d+)/m.exec(status(pid))?.[1] ?? 0), 0) / 1024,
    )
  const userMs = () =>
    workerds().reduce((sum, { pid }) => {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1")
      return sum + Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[11]) * TICK_MS
    }, 0)
  /** The rows written by the turns so far, from the object's debug log. */
  const rows = () => [...server.output().matchAll(/"rows_written":(\d+)/g)].map(([, count]) => Number(count))

  const line = (label, ms, cpu, wrote = "") =>
    console.log(
      label.padEnd(44),
      `${ms.toFixed(0)} ms`.padStart(9),
      `${cpu} ms`.padStart(9),
      `${wrote}`.padStart(8),
      `${megabytes()} MB`.padStart(8),
    )
  const measured = async (label, work, wrote = () => "") => {
    const [began, cpu] = [performance.now(), userMs()]
    const answer = await work()
    const [took, used] = [performance.now() - began, userMs() - cpu]
    line(label, took, used, await wrote())
    return answer
  }
  const request = async (method, route, options = {}) => {
    const response = await perch.request(method, route, { limitMs: 120_000, ...options })
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`)
    return response
  }
  /** Runs one turn with one call: its time includes a text turn. */
  const turn = async (id, label, tool, input) => {
    const name = scriptName("bench")
    api.set(name, [{ content: [tool === null ? text("Hello.") : call(tool, input)] }, { content: [text("Done.")] }])
    const before = rows().length
    const messages = await measured(
      label,
      () => perch.query(id, promptFor(name)),
      async () => {
        for (let wait = 0; wait < 50 && rows().length === before; wait += 1)
          await new Promise((done) => setTimeout(done, 20))
        return rows().length === before ? "" : `${rows().at(-1)}`
      },
    )
    const failed = JSON.stringify(messages).match(/"is_error":true,"[^}]*/)
    if (failed !== null) console.log(`  ${failed[0].slice(0, 200)}`)
  }
  const checkpoints = async (id) => (await perch.json("GET", `/v1/sessions/${id}/checkpoints`)).checkpoints

  console.log("".padEnd(44), "time".padStart(9), "user CPU".padStart(9), "rows".padStart(8), "workerd".padStart(8))
  const count = Number(flags.files)
  const entries = Array.from({ length: count }, (_, index) => {
    const body = page()
    return { header: { name: `d${index % 100}/f${index}.txt`, size: body.length, type: "file" }, body }
  })
  const archive = await packTar(entries)
  const id = await perch.createSession(OPTIONS)
  await turn(id, "a text turn", null)
  await measured(`import ${count} files of 2 KB as tar`, () =>
    request("PUT", `/v1/sessions/${id}/archive?path=/workspace`, { body: archive }),
  )
  await measured("list all, pages of 1000", async () => {
    for (let cursor = ""; cursor !== null;) {
      const query = new URLSearchParams({ prefix: "/workspace", limit: "1000", ...(cursor === "" ? {} : { cursor }) })
      cursor = (await perch.json("GET", `/v1/sessions/${id}/files?${query}`)).next_cursor
    }
  })
  await turn(id, "a text turn, with its checkpoint", null)
  await turn(id, "Bash: echo hi", "Bash", { command: "echo hi" })
  await turn(id, "Bash: ls d1", "Bash", { command: "ls d1" })
  await turn(id, "Bash: find . -name '*77.txt' | wc -l", "Bash", { command: "find . -name '*77.txt' | wc -l" })
  await turn(id, "Bash: grep -rl 'zq_[0-9]' . | wc -l", "Bash", { command: "grep -rl 'zq_[0-9]' . | wc -l" })
  await turn(id, "Glob **/*7.txt", "Glob", { pattern: "**/*7.txt" })
  for (const [label, pattern] of [
    ["Grep [a-z]+_[0-9]+x", "[a-z]+_[0-9]+x"],
    ["Grep [a-z]+_[0-9]+q, lines", "[a-z]+_[0-9]+"],
    ["Grep (a+)+$", "(a+)+$"],
  ])
    await turn(id, label, "Grep", { pattern, output_mode: label.endsWith("lines") ? "content" : "files_with_matches" })
  await turn(id, "Grep -i [a-z]+_[0-9]+x", "Grep", { pattern: "[a-z]+_[0-9]+x", "-i": true })
  await turn(id, "Bash: edit 100 files", "Bash", { command: "sed -i s/a/A/ d1/*" })
  await turn(id, "Bash: rm -r all", "Bash", { command: "rm -r d*" })
  const marked = await checkpoints(id)
  const rewind = (dry) =>
    request("POST", `/v1/sessions/${id}/rewind`, { json: { user_message_id: marked.at(-1), dry_run: dry } })
  await measured(`rewind ${count} files, dry run`, () => rewind(true))
  await measured(`rewind ${count} files`, () => rewind(false))
  await measured("export all as tar", async () =>
    (await request("GET", `/v1/sessions/${id}/archive?path=/workspace`)).arrayBuffer(),
  )

  const bytes = Number(flags.mebibytes) << 20
  const large = await perch.createSession(OPTIONS)
  const body = Buffer.from(
    Array.from({ length: 512 }, page)
      .join("")
      .repeat(Math.ceil(bytes / FILE_BYTES / 512))
      .slice(0, bytes),
  )
  const at = `/v1/sessions/${large}/files/workspace/large.txt`
  await measured(`PUT one file of ${flags.mebibytes} MiB`, () => request("PUT", at, { body }))
  await measured("GET it", async () => (await request("GET", at)).arrayBuffer())
  await measured("GET its last kilobyte", async () =>
    (await request("GET", at, { headers: { range: "bytes=-1024" } })).arrayBuffer(),
  )
  await turn(large, "Grep [a-z]+_[0-9]+x in it", "Grep", { pattern: "[a-z]+_[0-9]+x" })
  await turn(large, "Grep (a+)+$ in it, counted", "Grep", { pattern: "(a+)+$", output_mode: "count" })
  await turn(large, "Bash: wc it", "Bash", { command: "wc large.txt" })
  await turn(large, "Bash: rm it", "Bash", { command: "rm large.txt" })
  const last = (await checkpoints(large)).at(-1)
  await measured("rewind it", () =>
    request("POST", `/v1/sessions/${large}/rewind`, { json: { user_message_id: last } }),
  )
} finally {
  await server?.dispose()
  await api.close()
}
process.exit(0)
