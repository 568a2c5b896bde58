// Local folders, and sessions whose workspace is pushed from and pulled into them.
import fs from "node:fs"
import { afterAll, beforeAll, expect, inject, vi } from "vitest"
import type { FolderSync } from "../../../src/client/files/sync.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { temporaryFolder } from "../../support/values/folder.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

/** `folder` creates one that is removed after the file's tests, `opened` a session with the sync's options and its shell. */
export const syncedFolders = () => {
  const shared = inject("shared")
  const perch = new PerchClient(shared)
  const api = new ApiLog(shared.apiUrl)
  const folders: Array<string> = []

  const folder = (name?: string) => {
    const made = temporaryFolder(name)
    folders.push(made)
    return made
  }

  beforeAll(() => {
    vi.stubEnv("PERCH_STATE_DIR", folder("state"))
  })

  afterAll(() => {
    vi.unstubAllEnvs()
    for (const made of folders) fs.rmSync(made, { recursive: true, force: true })
  })

  const opened = async (options: Readonly<Record<string, unknown>> = {}) => {
    const id = await perch.createSession({ permissionMode: "bypassPermissions", ...options })
    const sync = (local: string, more: Partial<FolderSync> = {}): FolderSync => ({
      url: shared.url,
      apiKey: shared.key,
      sessionId: id,
      folder: local,
      ...more,
    })
    const shell = async (command: string) => {
      const name = scriptName("sync")
      await api.set(name, [{ content: [call("Bash", { command })] }, textAnswer("Done.")])
      const messages = await perch.query(id, promptFor(name))
      expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success" })
    }
    return { id, sync, shell }
  }

  return { shared, perch, api, folder, opened }
}
