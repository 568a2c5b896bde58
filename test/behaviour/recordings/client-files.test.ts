// Files that a client writes, deletes and rewinds while a session is recorded: a playback restores them at the same moments.
import { expect, it } from "vitest"
import { firstSignalDifference } from "../../../src/recording/compare-signals.ts"
import { rewindFiles } from "../../../src/session/files/rewind-files.ts"
import { answerFetch } from "../../../src/session/pages/fetch.ts"
import { BYPASS, DONE, loop } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { type Booted, prompt } from "../../support/session/session-harness.ts"
import { playing, prompts, RECORD, takeRecording } from "./recordings.ts"

const setting = loop()

const bash = (command: string) => ({ content: [call("Bash", { command })] })

/** Sends a request about files to the object. */
const send = async ({ life }: Booted, method: string, path: string, body?: BodyInit) => {
  const parts = { life, sockets: undefined, watch: undefined } as unknown as Parameters<typeof answerFetch>[0] // no socket is opened
  const init = body === undefined ? { method } : { method, body }
  const response = await answerFetch(parts, new Request(`http://session${path}`, init))
  expect(response.ok).toBe(true)
  return response
}

it("are restored before the same prompts as in the recording", async () => {
  const scripts = ["cat a.txt; ls", "cat a.txt sub/*; ls -l", "cat a.txt; ls"].map((command) =>
    promptFor(setting.scripted([bash(`${command}; echo more >> a.txt`), DONE])),
  )
  const booted = setting.harnessOf({ ...BYPASS, ...RECORD, enableFileCheckpointing: true }).boot()
  await send(booted, "PUT", "/files/workspace/a.txt", "one\n")
  await prompts(booted, scripts.slice(0, 1))
  await send(booted, "PUT", "/files/workspace/sub/b.txt", "two\n")
  await send(booted, "PUT", "/files/workspace/sub/%C3%A9.txt", "three\n")
  await send(booted, "DELETE", "/files/workspace/a.txt")
  await send(booted, "PUT", "/files/workspace/a.txt", "four\n")
  const second = prompt(booted.session, scripts[1] ?? "")
  await booted.idle()
  await send(booted, "DELETE", "/files/workspace/sub")
  expect(rewindFiles(booted.session, { user_message_id: second })).toMatchObject({ canRewind: true })
  await prompts(booted, scripts.slice(2))
  const recorded = takeRecording(booted.session)
  const asked = setting.api.log.length
  const { booted: played, harness } = playing(setting, recorded, { ...BYPASS, enableFileCheckpointing: true })
  await prompts(played, scripts.slice(0, 1))
  harness.crash()
  const again = harness.boot()
  await prompts(again, scripts.slice(1))
  expect(firstSignalDifference(recorded.signals, takeRecording(again.session).signals)).toBeNull()
  expect(setting.api.log.length).toBe(asked)
})

it("include those of an uploaded archive", async () => {
  const source = setting.harnessOf().boot()
  for (const name of ["a.txt", "b/c.txt"]) await send(source, "PUT", `/files/workspace/in/${name}`, name)
  const archive = await (await send(source, "GET", "/archive?path=/workspace/in")).arrayBuffer()
  const script = promptFor(setting.scripted([bash("find . -type f | sort; cat a.txt b/c.txt"), DONE]))
  const booted = setting.harnessOf({ ...BYPASS, ...RECORD }).boot()
  await send(booted, "PUT", "/archive?path=/workspace", archive)
  await prompts(booted, [script])
  const recorded = takeRecording(booted.session)
  expect(JSON.stringify(recorded.signals)).toContain("b/c.txt")
  const { booted: played } = playing(setting, recorded, BYPASS)
  await prompts(played, [script])
  expect(firstSignalDifference(recorded.signals, takeRecording(played.session).signals)).toBeNull()
})

it("include the modes of an uploaded archive's folders", async () => {
  const source = setting.harnessOf().boot()
  await send(source, "PUT", "/files/workspace/in/closed/a.txt", "a")
  source.workspace.chmod("/workspace/in/closed", 0o700)
  const archive = await (await send(source, "GET", "/archive?path=/workspace/in")).arrayBuffer()
  const script = promptFor(setting.scripted([bash("stat -c '%a %n' closed"), DONE]))
  const booted = setting.harnessOf({ ...BYPASS, ...RECORD }).boot()
  await send(booted, "PUT", "/archive?path=/workspace", archive)
  await prompts(booted, [script])
  const recorded = takeRecording(booted.session)
  expect(JSON.stringify(recorded.signals)).toContain("700 closed")
  const { booted: played } = playing(setting, recorded, BYPASS)
  await prompts(played, [script])
  expect(firstSignalDifference(recorded.signals, takeRecording(played.session).signals)).toBeNull()
})

it("include what is written through a link", async () => {
  const scripts = [
    "mkdir real; echo old > real/a.txt; ln -s real/a.txt file; ln -s real folder",
    "cat real/*; ls -l",
  ].map((command) => promptFor(setting.scripted([bash(command), DONE])))
  const source = setting.harnessOf().boot()
  await send(source, "PUT", "/files/workspace/in/b.txt", "uploaded")
  const archive = await (await send(source, "GET", "/archive?path=/workspace/in")).arrayBuffer()
  const booted = setting.harnessOf({ ...BYPASS, ...RECORD }).boot()
  await prompts(booted, scripts.slice(0, 1))
  await send(booted, "PUT", "/files/workspace/file", "new")
  await send(booted, "PUT", "/archive?path=/workspace/folder", archive)
  await prompts(booted, scripts.slice(1))
  const recorded = takeRecording(booted.session)
  expect(JSON.stringify(recorded.signals)).toContain("newuploaded")
  const { booted: played } = playing(setting, recorded, BYPASS)
  await prompts(played, scripts)
  expect(firstSignalDifference(recorded.signals, takeRecording(played.session).signals)).toBeNull()
})
