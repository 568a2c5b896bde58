// `npm run replay` with recordings of a running service, unchanged and changed: it starts the working tree's Worker without a
// key and without a network.
import { spawn } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, expect, it } from "vitest"
import { documentOf, record, recorded, recordedRun } from "./recorded.ts"

const SCRIPT = path.resolve(import.meta.dirname, "../../../scripts/replay.mjs")

let folder: string
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-replayed-"))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const write = (name: string, content: string) => fs.writeFileSync(path.join(folder, name), content)

const replay = async (...files: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [SCRIPT, ...files], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
  const code = new Promise((resolve) => child.once("exit", resolve))
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, printed, errors }
}

it("replays sessions and runs of a running service: all events are equal", async () => {
  const { id } = await recorded()
  const session = await record(id)
  const { recording: run } = await recordedRun()
  write("session.json", await documentOf(session))
  write("run.json", await documentOf(run))
  expect(await replay("session.json", path.join(folder, "run.json"))).toEqual({
    code: 0,
    printed: `session.json: all ${session.signals} events are equal.\n${folder}/run.json: all ${run.signals} signals are equal.\n`,
    errors: "",
  })
})

it("prints the first difference of a changed recording, and why a file is not a recording", async () => {
  const { id } = await recorded()
  const document = await documentOf(await record(id))
  const run = await documentOf((await recordedRun()).recording)
  const files: ReadonlyArray<readonly [name: string, content: string, printed: RegExp]> = [
    [
      "prompt",
      document.replace("And now?", "And what now?"),
      /^different\. The first difference is in the conversation[^]*\n {2}RecordingNotFound: [^]*at messages\[6\]\.content\[0\]\.text\n {2}recorded: .*And now\?"\n {2}asked: .*And what now\?"$/,
    ],
    [
      "result",
      document.replace('"stdout":"3', '"stdout":"4'),
      /^different\. The first difference is in the part toolu_\w+, at its signal \d+\.\n[^]*\n {2}recorded: "4"\n {2}played: "3"$/,
    ],
    [
      "run",
      run.replace("Tests are", "Types are"),
      /^different\. The first difference is in the run\.\n[^]*recorded: .*Tests are[^]*asked: .*Types are/,
    ],
    [
      "hash",
      document.replace(/(?<="answers":\[[^]*?"hash":")..../, "0000"),
      /^It is not a recording: answers\[0\]\.hash is not the SHA-256/,
    ],
    ["huge", "", /^It has 135266304 bytes, and a recording has at most 134217728\.$/],
    ["text", "hello", /^It is not JSON, or it is cut off\. Download the recording again\.$/],
    ["cut", document.slice(0, -100), /^It is not JSON, or it is cut off\./],
    [
      "list",
      "[1]",
      /^It is not a recording: a recording has the fields metadata, signals, checkpoints, answers and chunks\.$/,
    ],
    ["later", document.replace('"version":1', '"version":2'), /^Its format has the version 2, and .* reads 1\.$/],
  ]
  for (const [name, content] of files) write(name, content)
  fs.truncateSync(path.join(folder, "huge"), 129 * 1024 * 1024)
  const { code, printed, errors } = await replay(...files.map(([name]) => name), "none", ".")
  expect([code, errors]).toEqual([1, ""])
  const lines = printed.split(/^(?=\S)/m).map((text) => text.trimEnd())
  const expected = [...files, ["none", "", /^The file does not exist\.$/], [".", "", /^It is not a file\./]] as const
  expect(lines).toEqual(
    expected.map(([name, , shown]) =>
      expect.stringMatching(new RegExp(`^${name === "." ? "\\." : name}: ${shown.source.replace(/^\^/, "")}`)),
    ),
  )
})
