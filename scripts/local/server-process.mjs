// The process of a local server: waits until it answers, and ends it. Used by `scripts/start.mjs` to serve and by
// `scripts/replay.mjs` to replay.
// Invariant: `stop` ends every process that was started, and their descendants.
import fs from "node:fs"
import http from "node:http"
import https from "node:https"
import path from "node:path"
import { guardPid } from "./guard.mjs"
import { makeFolder } from "./make-folder.mjs"
import { descendantsOf, sendSignal, stillRunning } from "./processes.mjs"

const READY_WITHIN_MS = 90_000
const STOP_WITHIN_MS = 5_000

/** One poll of the server: true if `/healthz` answers 200. A self-signed certificate is accepted. */
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

/** Resolves when the server answers; rejects when it ends or at the timeout. */
export const ready = (run, url) =>
  new Promise((resolve, reject) => {
    const deadline = Date.now() + READY_WITHIN_MS
    void run.exited.then(() => reject(new Error("the server ended before it was ready")))
    const look = async () => {
      if (/^serving /m.test(run.output) && (await answers(url))) resolve()
      else if (Date.now() > deadline) reject(new Error(`no answer from ${url} within ${READY_WITHIN_MS / 1000} s`))
      else setTimeout(look, 50)
    }
    void look()
  })

/** Ends the child and all its descendants: SIGTERM first, then SIGKILL. */
export const stop = async (run, known = new Map()) => {
  const processes = new Map([...known, ...descendantsOf(process.pid)])
  // It ends with this process.
  processes.delete(guardPid())
  const gone = run.child.exitCode !== null || run.child.signalCode !== null
  if (!gone) sendSignal(run.child.pid, "SIGTERM")
  const deadline = Date.now() + (gone ? 0 : STOP_WITHIN_MS)
  while (stillRunning(processes).length > 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50))
  for (const pid of stillRunning(processes)) sendSignal(pid, "SIGKILL")
}

/** Creates the state folder, and below it the one that workerd writes, closed to other users of the machine. */
export const makeStateFolder = (state) => {
  makeFolder(state)
  // An existing folder may belong to another program; the one below it is ours.
  const own = path.join(state, "v3")
  makeFolder(own)
  fs.chmodSync(own, 0o700)
}
