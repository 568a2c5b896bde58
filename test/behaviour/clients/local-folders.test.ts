// A run of the SDK that names a local folder: it is warned once that the folder is not in the session, unless it uploads it.
import fs from "node:fs"
import { afterAll, afterEach, describe, expect, it, vi } from "vitest"
import { PerchProcess } from "../../../src/client/process.ts"
import { PerchServer } from "../../../src/client/server.ts"
import { SessionFolders } from "../../../src/client/files/session-folders.ts"
import { TIMING } from "../../../src/client/connection.ts"
import { plant, temporaryFolder } from "../../support/values/folder.ts"
import { type Answer, type FakePerch, fakePerch, type SeenRequest, SESSION } from "../../client/fake-perch.ts"

const made: Array<string> = []
const folderOf = (name: string) => {
  const folder = temporaryFolder(name)
  made.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of made) fs.rmSync(folder, { recursive: true, force: true })
})

let server: FakePerch | undefined
afterEach(async () => {
  vi.restoreAllMocks()
  await server?.close()
  server = undefined
})

const LIMITS = { limits: { files: 10, bytes: 1000, file_bytes: 100 }, used: { files: 0, bytes: 0 } }

const opened =
  (status: number) =>
  (request: SeenRequest): Answer =>
    request.path.includes("/files")
      ? { status: 200, json: { files: [], next_cursor: null, ...LIMITS } }
      : { status, json: { id: SESSION, last_seq: 0, cwd: "/workspace" } }

/** Starts a process for a folder and waits until its socket is open; returns what it wrote to stderr. */
const run = async (cwd: string | undefined, status: number, options = {}, args: ReadonlyArray<string> = []) => {
  server = await fakePerch({ answer: opened(status) })
  const written: Array<string> = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0)
  const abort = new AbortController()
  const folders = new SessionFolders({ url: server.url, apiKey: "key", ...options })
  const spawn = { args: [...args], env: {}, signal: abort.signal, ...(cwd === undefined ? {} : { cwd }) }
  const started = new PerchProcess(new PerchServer(server.url, "key"), spawn, undefined, TIMING, { folders })
  await server.socket(0)
  started.kill("SIGKILL")
  await server.close()
  server = undefined
  vi.restoreAllMocks()
  return written
}

describe("a local folder", () => {
  it("that is not uploaded is reported in one line, once, with the way to upload it", async () => {
    const folder = folderOf("named")
    plant(folder, { "a.txt": "a" })
    const [line, ...more] = await run(folder, 201)
    expect(more).toEqual([])
    expect(line).toContain(`the files of ${folder} are on this machine and not in the session`)
    expect(line).toContain("upload: true")
    expect(line).toContain(`npx perch push ${SESSION} ${folder}`)
    expect(await run(folder, 201)).toEqual([])
  })

  it("is reported for each additional directory too", async () => {
    const extra = folderOf("extra")
    plant(extra, { "a.txt": "a" })
    expect(await run(undefined, 201, {}, ["--add-dir", extra])).toEqual([expect.stringContaining(extra)])
  })

  it.each([
    ["is empty", () => folderOf("empty"), 201, {}],
    ["is not there", () => "/there/is/none", 201, {}],
    ["is not named", () => undefined, 201, {}],
    ["belongs to a session that there was", () => planted(), 200, {}],
    ["is left where it is on purpose", () => planted(), 201, { upload: false }],
  ])("that %s is not named", async (_, folder, status, options) => {
    expect(await run(folder(), status, options)).toEqual([])
  })
})

const planted = () => {
  const folder = folderOf("planted")
  plant(folder, { "a.txt": "a" })
  return folder
}
