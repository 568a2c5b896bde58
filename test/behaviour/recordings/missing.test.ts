// Requests that a recording does not have: the turn ends with an error that shows the difference.
import { expect, it, vi } from "vitest"
import { BYPASS, DONE, loop } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { noRecording, playing, prompts, RECORD, resultsOf, takeRecording, type Taken } from "./recordings.ts"

const setting = loop()

const recorded = async (words = "") => {
  const script = setting.scripted([
    { content: [call("Write", { file_path: "/workspace/a.txt", content: "one" })] },
    { content: [call("Bash", { command: "cat a.txt b.txt" })] },
    DONE,
  ])
  const booted = setting.harnessOf({ ...BYPASS, ...RECORD }).boot()
  const text = `${promptFor(script)}${words}`
  await prompts(booted, [text])
  return { taken: takeRecording(booted.session), text }
}

/** The errors of the played session's result. */
const errorsOf = (taken: Taken): string => {
  const [result] = resultsOf(taken)
  expect(result).toMatchObject({
    subtype: "error_during_execution",
    is_error: true,
    terminal_reason: "recording_not_found",
  })
  return JSON.stringify(result?.["errors"])
}

it("shows how another prompt differs", async () => {
  const { taken, text } = await recorded(" and add the numbers")
  const lines = vi.spyOn(console, "error").mockImplementation(() => undefined)
  const asked = setting.api.log.length
  const { booted } = playing(setting, taken, BYPASS)
  await prompts(booted, [text.replace("numbers", "letters")])
  const errors = errorsOf(takeRecording(booted.session))
  expect(errors).toMatch(
    /RecordingNotFound: the recording rec has no answer to this request to the model \(hash [0-9a-f]{64}\)/,
  )
  expect(errors).toContain("at messages[0].content")
  expect(errors).toMatch(/recorded: [^\n]*numbers/)
  expect(errors).toMatch(/asked: [^\n]*letters/)
  const logged = lines.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown)
  lines.mockRestore()
  expect(logged).toEqual([expect.objectContaining({ message: "RecordingNotFound", recording: "rec" })])
  expect(setting.api.log.length).toBe(asked)
})

it("shows how another tool result differs, and stays so after a restart", async () => {
  const { taken, text } = await recorded()
  const { harness, booted } = playing(setting, taken, BYPASS)
  booted.workspace.writeBytes("/workspace/b.txt", "two")
  await prompts(booted, [text])
  expect(errorsOf(takeRecording(booted.session))).toMatch(
    /at messages\[4\]\.content.*recorded: .*No such file.*asked: .*onetwo/,
  )
  harness.crash()
  const again = harness.boot()
  const asked = setting.api.log.length
  await prompts(again, ["more"])
  const results = resultsOf(takeRecording(again.session))
  expect(results).toHaveLength(2)
  expect(results[1]).toMatchObject({ errors: results[0]?.["errors"] })
  expect(setting.api.log.length).toBe(asked)
})

it("says that an answer is missing", async () => {
  const { taken, text } = await recorded()
  const without = { ...taken, answers: taken.answers.filter(({ kind }, index) => kind !== "model" || index < 2) }
  const { booted } = playing(setting, without, BYPASS)
  await prompts(booted, [text])
  const errors = errorsOf(takeRecording(booted.session))
  expect(errors).toContain("RecordingNotFound")
  expect(Buffer.byteLength(errors)).toBeLessThan(2048 + 500)
})

it("reports an answer that can't be parsed, however it was written", async () => {
  const { taken, text } = await recorded()
  for (const response of [7, { events: [{}] }, { request_id: 3 }, {}]) {
    const answers = taken.answers.map((answer) => (answer.kind === "model" ? { ...answer, response } : answer))
    const { booted } = playing(setting, { ...taken, answers }, BYPASS)
    const asked = setting.api.log.length
    await prompts(booted, [text])
    expect(resultsOf(takeRecording(booted.session))).toMatchObject([{ is_error: true }])
    expect(setting.api.log.length).toBe(asked)
  }
})

it("says that the recording does not exist", async () => {
  const harness = setting.harnessOf({ ...BYPASS, runtime: { mode: "playback", recording: "gone" } })
  harness.openRecording = noRecording
  const booted = harness.boot()
  prompt(booted.session, "go")
  await booted.idle()
  expect(errorsOf(takeRecording(booted.session))).toContain("there is no recording gone")
})
