// A server of the working tree that replays recordings: in workerd, with its own state folder, without a model key and without
// a network. Returns its address, and how to stop it.
// Invariant: it leaves neither processes nor files behind, however the replay ends.
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import http from "node:http"
import os from "node:os"
import path from "node:path"
import { text } from "node:stream/consumers"
import { allowedHosts, readArguments } from "../local/arguments.mjs"
import { claimPort } from "../local/port.mjs"
import { runNode } from "../local/run-node.mjs"
import { makeStateFolder, ready, stop } from "../local/server-process.mjs"
import { loadSettings } from "../local/settings.mjs"

/** Settings that allow outside access, or print. The others affect a session's behaviour, and are those of `npm start`. */
const NONE = {
  ANTHROPIC_API_KEY: "",
  ANTHROPIC_BASE_URL: "",
  OPENAI_API_KEY: "",
  OPENAI_BASE_URL: "",
  PERCH_BACKUP_KEY: "",
  PERCH_LOG: "quiet",
}

export const startReplayServer = async (root) => {
  const key = `perch_replay_${randomBytes(20).toString("hex")}`
  const state = fs.mkdtempSync(path.join(os.tmpdir(), "perch-replay-"))
  let run = null
  let ending
  const end = () => {
    ending ??= (async () => {
      if (run !== null) await stop(run)
      fs.rmSync(state, { recursive: true, force: true, maxRetries: 3 })
    })()
    return ending
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.once(signal, () => void end().then(() => process.exit(1)))
  }
  try {
    const wanted = readArguments(["--port", "0", "--persist-to", state], root)
    const { vars } = loadSettings(root, { ...process.env, ...NONE, PERCH_ROOT_KEY: key })
    makeStateFolder(state)
    const port = await claimPort(0, wanted.ip)
    const url = `http://${wanted.ip}:${port}`
    const local = { PERCH_LOCAL_HOSTS: allowedHosts(wanted) }
    const input = { ip: wanted.ip, port, state, secure: false, isolated: true, vars: { ...vars, ...local } }
    run = runNode(root, [path.join(root, "scripts/local/serve.mjs")], JSON.stringify(input))
    await ready(run, url).catch((error) => {
      throw new Error(`${run.output}${error.message}`)
    })
    return { call: (method, route, request) => call(`${url}${route}`, { method, key, ...request }), end }
  } catch (error) {
    await end()
    throw error
  }
}

/** A replay may take longer to answer than `fetch` waits. */
const call = (url, { method, key, body, headers = {} }) =>
  new Promise((resolve, reject) => {
    const options = { method, agent: false, headers: { authorization: `Bearer ${key}`, ...headers } }
    const request = http.request(url, options, (response) => {
      text(response).then((json) => resolve({ status: response.statusCode, json: JSON.parse(json) }), reject)
    })
    request.once("error", reject)
    request.end(body)
  })
