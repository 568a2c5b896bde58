// The package that `npm pack` builds, installed into an empty folder: its programs are there, and an app that depends only on
// it compiles strictly, runs a turn, decodes its live stream and runs a workflow. No network: effect and zod, which the package
// depends on, are linked from this project before npm installs offline.
import { execFile } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const run = promisify(execFile)
const shared = inject("shared")
const top = fs.mkdtempSync(path.join(os.tmpdir(), "perch-package-"))
const project = path.join(top, "project")
const app = path.join(top, "app")
const quiet = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"]
const manifestOf = (folder: string) => JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"))
const { version } = manifestOf(ROOT)

/** The files that a build needs, in a separate folder: a build in the project would replace what other tests read. */
const SOURCES = ["src", "scripts", "package.json", "tsconfig.json", "README.md", "CHANGELOG.md", "LICENSE"]

beforeAll(async () => {
  for (const name of SOURCES) fs.cpSync(path.join(ROOT, name), path.join(project, name), { recursive: true })
  fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(project, "node_modules"))
  await run("npm", ["pack", "--pack-destination", top, ...quiet], { cwd: project })

  fs.mkdirSync(path.join(app, "node_modules"), { recursive: true })
  fs.writeFileSync(path.join(app, "package.json"), '{ "type": "module", "private": true }\n')
  for (const name of Object.keys(manifestOf(ROOT).dependencies)) {
    fs.symlinkSync(path.join(ROOT, "node_modules", name), path.join(app, "node_modules", name))
  }
  await run("npm", ["install", path.join(top, `perch-${version}.tgz`), ...quiet], { cwd: app })
  fs.cpSync(path.join(import.meta.dirname, "package-app"), app, { recursive: true })
}, 300_000)
afterAll(() => fs.rmSync(top, { recursive: true, force: true }))

describe("the packed package", () => {
  const installed = path.join(app, "node_modules/perch")

  it("contains what its exports, types and programs name, and none of the project's sources", () => {
    const { exports, bin } = manifestOf(installed)
    const named = [...Object.values(exports).flatMap((entry) => Object.values(entry as object)), ...Object.values(bin)]
    expect(Object.keys(exports)).toEqual([
      "./client",
      "./client/api",
      "./client/browser",
      "./interop",
      "./schemas/sdk",
      "./signals",
    ])
    expect(named.filter((file) => !fs.existsSync(path.join(installed, String(file))))).toEqual([])
    expect(fs.readdirSync(installed).toSorted()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist",
      "package.json",
    ])
    expect(fs.readdirSync(path.join(installed, "dist")).toSorted()).toEqual(["client", "interop", "schemas", "signals"])
    expect(fs.readdirSync(path.join(app, "node_modules/.bin")).toSorted()).toEqual(["perch", "perch-claude"])
  })

  it("compiles strictly with an app, which uses a server and decodes its live stream", async () => {
    const compile = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig", "--target", "es2024"]
    const types = ["--module", "nodenext", "--types", "node", "--typeRoots", path.join(ROOT, "node_modules/@types")]
    const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc")
    const compiled = await run(process.execPath, [tsc, "--singleThreaded", ...compile, ...types, "app.ts"], {
      cwd: app,
    }).catch((error: { stdout: string }) => error)
    expect(compiled.stdout).toBe("")

    const script = scriptName("package-app")
    await new ApiLog(shared.apiUrl).set(script, [
      { content: [call("Write", { file_path: "/workspace/a.txt", content: "one" })] },
      textAnswer("It is written."),
    ])
    const keyless = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }
    const perch = { PERCH_URL: shared.url, PERCH_KEY: shared.key, PROMPT: promptFor(script) }
    const env = { ...process.env, ...keyless, ...perch }
    const { stdout } = await run(process.execPath, ["app.ts"], { cwd: app, env })
    const found = JSON.parse(stdout)
    expect(found).toMatchObject({
      texts: ["It is written."],
      run: ["completed", found.shown],
      result: "It is written.",
      greeted: "Hello.",
      offline: expect.stringContaining("Perch's offline model"),
      refusals: [expect.stringContaining("ANTHROPIC_API_KEY"), expect.stringContaining("OPENAI_API_KEY")],
      file: "one",
      accepted: [true, false],
      hook: true,
      refused: expect.stringContaining("result/success."),
    })
    expect(found.members[0]).toBe("system/init")
    expect(found.members.at(-1)).toBe("result/success")
    expect(found.members).toEqual(expect.arrayContaining(["stream_event", "assistant", "user"]))
    expect(found.members).not.toContain("unknown")
  })

  it("has declarations of perch/signals that a strict compiler checks completely, and runs, records and replays a workflow", async () => {
    const compilerOptions = {
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      skipLibCheck: false,
      verbatimModuleSyntax: true,
      target: "es2024",
      module: "nodenext",
      types: ["node"],
      typeRoots: [path.join(ROOT, "node_modules/@types")],
    }
    fs.writeFileSync(path.join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["workflow.ts"] }))
    const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc")
    const [compiled, { stdout }] = await Promise.all([
      run(process.execPath, [tsc, "--singleThreaded", "-p", "."], { cwd: app }).catch(
        (error: { stdout: string }) => error,
      ),
      run(process.execPath, ["workflow.ts"], { cwd: app }),
    ])
    expect(compiled.stdout).toBe("")
    const state = { open: [], done: ["a 2026", "b 2026"] }
    expect(JSON.parse(stdout)).toEqual({
      inMemory: { state, replayed: state },
      state,
      // A replay makes no request.
      requests: [4, 4],
      same: true,
      signals: ["workflow:start", "task:completed", "task:next", "task:completed", "task:next"],
      shown: ["a\n", "b\n", "a\n", "b\n", "a\n", "b\n"],
      refused: "RecordingNotFound",
      offline: { reason: "until" },
    })
    expect(fs.existsSync(path.join(app, "recordings/x.json"))).toBe(true)
  })
})
