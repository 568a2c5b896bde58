// The examples, run as their first lines describe, against a server with the offline model: each prints what a reader expects.
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { buildClient } from "../../../scripts/build-client.mjs"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { eventually } from "../../support/server/client.ts"
import { FakePage } from "../../support/server/fake-page.ts"
import { type PerchServer, startServer } from "../../support/server/server.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")

const shared = inject("shared")
let server: PerchServer
let folder: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perch-examples-")))
  fs.cpSync(path.join(ROOT, "examples"), path.join(folder, "examples"), { recursive: true })
  fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"))
  // The package's own name resolves to its exports, as in a clone.
  fs.copyFileSync(path.join(ROOT, "package.json"), path.join(folder, "package.json"))
  ;[server] = await Promise.all([startServer(), buildClient(path.join(folder, "dist/client"), { types: false })])
  env = { PATH: process.env.PATH, HOME: folder, PERCH_URL: server.url, PERCH_KEY: server.key, PORT: "0" }
})

afterAll(async () => {
  await server?.dispose()
  fs.rmSync(folder, { recursive: true, force: true })
})

const run = async (
  example: string,
  { given = [], more = {} }: { readonly given?: ReadonlyArray<string>; readonly more?: NodeJS.ProcessEnv } = {},
): Promise<ReadonlyArray<string>> => {
  const { stdout } = await promisify(execFile)(process.execPath, [example, ...given], {
    cwd: folder,
    env: { ...env, ...more },
  })
  return stdout.trimEnd().split("\n")
}

it("plain fetch streams a turn, answers what it asks and reads the file", async () => {
  const printed = await run("examples/fetch.mjs")
  expect(printed[0]).toBe("asked: Write /workspace/hello.txt")
  expect(printed[1]).toMatch(/^result: success I wrote \/workspace\/hello\.txt/)
  expect(printed.at(-1)).toBe("file: hello from fetch")
})

it("the official Node SDK calls its hook and canUseTool, and resumes the session", async () => {
  const printed = await run("examples/node-sdk.mjs")
  expect(printed.slice(0, 3)).toEqual(["asked: Write /workspace/haiku.txt", "hook: Write", "result: success"])
  expect(printed.slice(3).join("\n")).toContain("no disk, no container")
})

it("a tool of the app replaces a language server", async () => {
  const script = scriptName("ade-tools")
  const lines = fs.readFileSync(path.join(ROOT, "examples/node-sdk.mjs"), "utf8").split("\n")
  const line = lines.findIndex((one) => one.startsWith("const run ="))
  const ask = (operation: string) =>
    call("mcp__ade-tools__lsp", { operation, file: "node-sdk.mjs", line, character: "const ".length })
  await new ApiLog(shared.apiUrl).set(script, [
    ...["definition", "references", "hover", "symbols"].map((operation) => ({ content: [ask(operation)] })),
    { content: [call("mcp__ade-tools__lsp", { operation: "hover", file: "no.ts", line: 0, character: 0 })] },
    textAnswer("It is in node-sdk.mjs."),
  ])
  const more = { PERCH_URL: shared.url, PERCH_KEY: shared.key }
  const printed = await run("examples/ade-tools.mjs", { given: [promptFor(script), "examples"], more })
  expect(printed[0]).toBe("tools: mcp__ade-tools__lsp")
  expect(printed[1]).toContain("const run = async")
  expect(printed[2]?.match(/node-sdk\.mjs/g)?.length).toBeGreaterThan(2)
  expect(printed[3]).not.toContain("character")
  expect(printed[4]).toContain("server")
  expect(printed[5]).toContain("There is no source file no.ts.")
  expect(printed.at(-1)).toBe("result: It is in node-sdk.mjs.")
})

it("a page with the official browser SDK chats and receives asks, and has no key", async () => {
  const child = spawn(process.execPath, ["examples/browser-sdk/server.mjs"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(child, "exit")
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer]
    const base = /http:\S+/.exec(String(line))![0]
    const read = async (name: string) => (await fetch(new URL(name, base))).text()
    const [html = "", script = ""] = [await read("/"), await read("/page.js")]
    expect(html + script).not.toContain(server.key)
    const page = new FakePage(base, html)
    try {
      page.run(script)
      await eventually(async () => (page.listens("#prompt", "submit") ? true : undefined))
      page.submit("#prompt", "input", "Create page.txt with the text: from a page")
      await eventually(async () => page.shown("#messages").find((text) => text === "Done: success"))
      const shown = page.shown("#messages")
      expect(shown[0]).toBe("You: Create page.txt with the text: from a page")
      expect(shown).toContain("Agent uses Write")
      expect(page.confirmed).toEqual(["May it use Write?"])
    } finally {
      page.close()
    }
  } finally {
    child.kill()
    await ended
  }
})
