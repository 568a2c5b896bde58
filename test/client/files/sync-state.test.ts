// Where the state of a synchronization is kept: in the user's state folder, never in the folder that is synchronized.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { loadBase, saveBase } from "../../../src/client/files/sync-state.ts"

let home: string
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), "perch-home-"))
  vi.spyOn(os, "homedir").mockReturnValue(home)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  fs.rmSync(home, { recursive: true })
})

it.skipIf(process.platform === "win32").each([
  ["an empty variable counts as missing", { PERCH_STATE_DIR: "", XDG_STATE_HOME: "" }, ".local/state/perch"],
  ["XDG_STATE_HOME is the folder above", { PERCH_STATE_DIR: "", XDG_STATE_HOME: "xdg" }, "xdg/perch"],
  ["PERCH_STATE_DIR is the folder itself", { PERCH_STATE_DIR: "own", XDG_STATE_HOME: "xdg" }, "own"],
] as const)("%s", async (_, variables, folder) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value && path.join(home, value))
  const pair = { url: "http://127.0.0.1:1", session: "s", remote: "/workspace", local: home }
  expect(await saveBase(pair, new Map())).toBeNull()
  expect(fs.readdirSync(path.join(home, folder))).toEqual(["sync"])
  expect(await loadBase(pair)).toEqual(new Map())
})
