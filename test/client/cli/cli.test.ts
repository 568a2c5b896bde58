// Which server and key a command uses.
import { afterEach, expect, it, vi } from "vitest"
import { EXIT, runCommand } from "../../../src/client/cli/cli.ts"

afterEach(() => vi.unstubAllGlobals())

it("an empty variable counts as missing", async () => {
  const requests: Array<readonly [url: string, key: string | null]> = []
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    requests.push([url, new Headers(init.headers).get("authorization")])
    return Response.json({ files: [], next_cursor: null, cwd: "/workspace" })
  })
  const env = { PERCH_URL: "", PERCH_API_KEY: "", PERCH_KEY: "key" }
  const errors: Array<string> = []
  const code = await runCommand({ args: ["ls", "s", "/"], env, out: () => {}, error: (line) => errors.push(line) })
  expect([code, errors]).toEqual([EXIT.done, []])
  expect(requests).toEqual([
    [expect.stringMatching(/^http:\/\/127\.0\.0\.1:8787\/v1\/sessions\/s\/files/), "Bearer key"],
  ])
})
