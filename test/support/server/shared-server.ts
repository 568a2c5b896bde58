// Starts one scripted Messages API, one scripted OpenAI and one server for all e2e files that neither kill nor reconfigure it.
// Files access the API's scripts and log over HTTP, because they run in another process.
import { randomBytes } from "node:crypto"
import type { TestProject } from "vitest/node"
import { createFakeApi } from "../session/scripted-api.mjs"
import { createScriptedOpenAi } from "../openai/scripted-openai.mjs"
import { buildSite } from "../../../scripts/site/build.mjs"
import { startLauncher } from "../browser/launcher.ts"
import { startServer } from "./server.ts"

/** Backups of other test servers with this key can be restored into the shared one. */
export const SHARED_BACKUP_KEY = "backup-key-of-the-shared-server"

declare module "vitest" {
  export interface ProvidedContext {
    /** The address to request a browser from. */
    readonly browser: string
    readonly shared: {
      readonly url: string
      readonly key: string
      readonly state: string
      readonly apiUrl: string
      /** The key that the server sends to the Messages API. */
      readonly modelKey: string
      /** The scripted OpenAI's address, without `/v1`; it accepts the same key. */
      readonly openaiUrl: string
      readonly pgid: number
    }
  }
}

export default async (project: TestProject) => {
  await buildSite()
  const launcher = await startLauncher()
  const api = await createFakeApi()
  const modelKey = `model-key-${randomBytes(12).toString("hex")}`
  const openai = await createScriptedOpenAi({ key: modelKey })
  const env = {
    PERCH_FETCH_ALLOW: "127.0.0.1",
    PERCH_LOG: "debug",
    PERCH_BACKUP_KEY: SHARED_BACKUP_KEY,
    ANTHROPIC_API_KEY: modelKey,
    OPENAI_API_KEY: modelKey,
    OPENAI_BASE_URL: openai.url,
  }
  const server = await startServer({ apiUrl: api.url, env }).catch(async (error: unknown) => {
    await Promise.all([api.close(), openai.close(), launcher.close()])
    throw error
  })
  project.provide("shared", {
    url: server.url,
    key: server.key,
    state: server.state,
    apiUrl: api.url,
    modelKey,
    openaiUrl: new URL(openai.url).origin,
    pgid: server.pgid!,
  })
  project.provide("browser", launcher.url)
  return async () => {
    await Promise.all([server.dispose(), launcher.close()])
    await Promise.all([api.close(), openai.close()])
  }
}
