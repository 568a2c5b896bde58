// Replays recordings against the working tree: `npm run replay FILE…`, with files that GET /v1/recordings/{id}/download answered.
// No model and nothing outside is asked: the Worker runs in workerd without a network, and what was recorded answers.
// Prints for each file that all of its events are equal, or the first difference. Exits with 1 unless all of them are equal.
import "./local/guard.mjs"
import { randomUUID } from "node:crypto"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { typedFolder } from "./typed-folder.mjs"
import { NoRecording, readRecording } from "./replay/recording-file.mjs"
import { startReplayServer } from "./replay/replay-server.mjs"
import { reportLines } from "./replay/report.mjs"

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const HELP = "npm run replay FILE…   # recordings as GET /v1/recordings/{id}/download answers them"
const FOLDER = typedFolder(["replay"])

/** Returns the answer, or throws a `NoRecording` with the server's reason. */
const accepted = ({ status, json }) => {
  if (status < 400) return json
  const { type, message } = json.error
  throw new NoRecording(status === 400 ? `It is not a recording: ${message}` : `${type}: ${message}`)
}

/** A replay that takes longer than ten minutes is requested again, and continues. */
const replay = async (server, { bytes, id }) => {
  const route = `/v1/recordings/${id}`
  accepted(await server.call("PUT", route, { body: bytes }))
  try {
    const headers = { "content-type": "application/json", "idempotency-key": randomUUID() }
    for (;;) {
      const report = accepted(await server.call("POST", `${route}/replay`, { body: "{}", headers }))
      if (report.status === "ended") return report
    }
  } finally {
    // Another file may be a copy of it with the same id.
    await server.call("DELETE", route)
  }
}

const print = (file, [first, ...rest]) =>
  console.log([`${file}: ${first}`, ...rest.map((line) => `  ${line}`.trimEnd())].join("\n"))

/** Prints the reason for a file that is not a recording. */
const attempt = async (file, work) => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof NoRecording)) throw error
    print(file, [error.message])
    return null
  }
}

const main = async (files) => {
  if (files.some((file) => file === "--help" || file === "-h")) {
    console.log(HELP)
    return 0
  }
  const option = files.find((file) => file.startsWith("-"))
  if (option !== undefined) throw new Error(`${option} is not an option.\n\n${HELP}`)
  if (files.length === 0) throw new Error(HELP)
  let server = null
  let equal = 0
  try {
    for (const file of files) {
      const report = await attempt(file, async () => {
        const recording = readRecording(path.resolve(FOLDER, file))
        server ??= await startReplayServer(ROOT)
        const { kind } = recording
        return { kind, ...(await replay(server, recording)) }
      })
      if (report === null) continue
      print(file, reportLines(report))
      if (report.equal) equal += 1
    }
  } finally {
    await server?.end()
  }
  return equal === files.length ? 0 : 1
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    console.error(error.message)
    process.exit(1)
  },
)
