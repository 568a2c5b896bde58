// Where scenarios run: the recorded software as an isolated local process, or a Perch server.
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import type { Options } from "@anthropic-ai/claude-agent-sdk"
import { perch } from "../../../src/client/spawn.ts"
import type { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import type { Venue } from "./drive.ts"

const PERCH_CWD = "/workspace"

/** The environment of the recorded process: of the host's only PATH. */
const hermetic = (home: string, apiUrl: string): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
  TMPDIR: os.tmpdir(),
  LANG: "C.UTF-8",
  ANTHROPIC_API_KEY: "sk-test",
  ANTHROPIC_BASE_URL: apiUrl,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_ERROR_REPORTING: "1",
  IS_SANDBOX: "1",
})

const spawnHermetically: NonNullable<Options["spawnClaudeCodeProcess"]> = ({ command, args, cwd, env, signal }) => {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] })
  child.stderr.resume()
  signal.addEventListener("abort", () => child.kill("SIGTERM"))
  return child
}

/** A new home and working directory for each scenario. */
export const processVenue = (api: ApiLog, executable: string): Venue => ({
  api,
  open: async (files) => {
    const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "recorded-")))
    const [home, cwd] = [path.join(base, "home"), path.join(base, "work")]
    fs.mkdirSync(home)
    fs.mkdirSync(cwd)
    for (const [name, content] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true })
      fs.writeFileSync(path.join(cwd, name), content)
    }
    const options = {
      env: hermetic(home, api.url),
      pathToClaudeCodeExecutable: executable,
      spawnClaudeCodeProcess: spawnHermetically,
    }
    return { cwd, options, close: async () => fs.rmSync(base, { recursive: true, force: true, maxRetries: 3 }) }
  },
})

/** A session for each run of query(), or one that has the scenario's files. */
export const perchVenue = (api: ApiLog, server: { readonly url: string; readonly key: string }): Venue => ({
  api,
  open: async (files) => {
    const client = new PerchClient(server)
    const session = Object.keys(files).length > 0 ? { sessionId: randomUUID() } : {}
    if (session.sessionId !== undefined) {
      const json = { id: session.sessionId, cwd: PERCH_CWD }
      await client.json("POST", "/v1/sessions", { json, status: 201 })
      for (const [name, content] of Object.entries(files)) {
        await client.putFile(session.sessionId, `${PERCH_CWD}/${name}`, content)
      }
    }
    const options: Options = { env: {}, ...perch({ url: server.url, apiKey: server.key, ...session }) }
    return { cwd: PERCH_CWD, options, close: async () => {} }
  },
})
