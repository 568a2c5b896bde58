// A client generated from /openapi.json compiles with TypeScript's `--strict`, and runs a conversation with an ask.
import { execFile } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const run = promisify(execFile)
const shared = inject("shared")
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-openapi-app-"))

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

it("openapi-typescript's types compile strictly with an app, and the app runs a conversation", async () => {
  const app = path.join(folder, "conversation.ts")
  fs.copyFileSync(path.join(ROOT, "test/e2e/clients/openapi-app/conversation.ts"), app)
  fs.writeFileSync(path.join(folder, "package.json"), '{"type":"module"}')
  await run(process.execPath, [path.join(ROOT, "scripts/openapi/typescript.mjs"), path.join(folder, "perch.ts")])
  const compile = ["--noEmit", "--strict", "--ignoreConfig", "--target", "es2024", "--module", "nodenext"]
  const types = [
    "--allowImportingTsExtensions",
    "--types",
    "node",
    "--typeRoots",
    path.join(ROOT, "node_modules/@types"),
  ]
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc")
  const compiled = await run(process.execPath, [tsc, "--singleThreaded", ...compile, ...types, app]).catch(
    (error: { stdout: string }) => error,
  )
  expect(compiled.stdout).toBe("")

  const script = scriptName("openapi-app")
  await new ApiLog(shared.apiUrl).set(script, [
    { content: [call("Write", { file_path: "/workspace/plan.txt", content: "ask me first" })] },
    textAnswer("It is written."),
  ])
  const env = { ...process.env, PERCH_URL: shared.url, PERCH_KEY: shared.key, PROMPT: promptFor(script) }
  const { stdout } = await run(process.execPath, [app], { env })
  expect(JSON.parse(stdout)).toMatchObject({
    tool: "Write",
    status: "completed",
    outcome: "It is written.",
    lines: expect.arrayContaining(["call Write", "text It is written."]),
    file: "ask me first",
    field: "prompt",
  })
})
