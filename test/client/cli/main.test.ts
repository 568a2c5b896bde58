// The program `perch` as a process: its exit code when its output can't be written.
import { spawn } from "node:child_process"
import fs from "node:fs"
import http from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, expect, it } from "vitest"

const MAIN = path.resolve(import.meta.dirname, "../../../src/client/cli/main.ts")

const file = { path: "/workspace/a.txt", type: "file", size: 1, modified_at: "2026-01-01T00:00:00.000Z", mode: 420 }
const server = http.createServer((_, answer) => {
  answer.setHeader("content-type", "application/json")
  answer.end(JSON.stringify({ files: [file], next_cursor: null, cwd: "/workspace" }))
})
let url = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // A server that listens on a port has an address object.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** Lists files; stdout is this descriptor, or a pipe that is closed before the list is written. */
const list = async (stdout: number | "closed pipe") => {
  const options = ["--url", url, "--api-key", "key"]
  const child = spawn(process.execPath, [MAIN, "ls", "s", "/workspace", ...options], {
    stdio: ["ignore", stdout === "closed pipe" ? "pipe" : stdout, "pipe"],
  })
  child.stdout?.destroy()
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve))
  // Its stderr is a pipe.
  const error = await text(child.stderr!)
  return { code: await closed, error }
}

it("a reader that closes the pipe early is no error", async () => {
  expect(await list("closed pipe")).toEqual({ code: 0, error: "" })
})

it("a list that can't be written is an error", async () => {
  const readOnly = fs.openSync(MAIN, "r")
  try {
    expect(await list(readOnly)).toEqual({
      code: 1,
      error: expect.stringMatching(/^perch: the output can't be written: EBADF.*\n$/),
    })
  } finally {
    fs.closeSync(readOnly)
  }
})
