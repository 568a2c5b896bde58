// Requests outside of a session's conversation, and with other options: when the recording has no answer, the API is not
// called.
import { expect, it } from "vitest"
import { firstSignalDifference } from "../../../src/recording/compare-signals.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop, type Turns } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { summaryNaming } from "../compaction/compactions.ts"
import { playing, prompts, RECORD, resultsOf, takeRecording, type Taken } from "./recordings.ts"

const setting = loop()

const AGENTS = { helper: { description: "Helps.", prompt: "You are a helper.", tools: ["Read"] } }

/** A recorded session of one prompt. */
const recordedOf = async (turns: unknown, options: SessionOptions = BYPASS, more: ReadonlyArray<string> = []) => {
  const script = scriptName("side")
  setting.scripted(turns as Turns, script)
  const booted = setting.harnessOf({ ...options, ...RECORD }).boot()
  const sent = [promptFor(script), ...more]
  await prompts(booted, sent)
  return { taken: takeRecording(booted.session), sent, script }
}

const lastErrors = (taken: Taken): string => {
  const last = resultsOf(taken).at(-1)
  expect(last).toMatchObject({ is_error: true, terminal_reason: "recording_not_found" })
  return String(last?.["errors"])
}

it.each<[string, SessionOptions, RegExp]>([
  ["system prompt", { ...BYPASS, systemPrompt: "Be long." }, /at system.*\nrecorded: .*Be brief.*\nasked: .*Be long/],
  ["model", { ...BYPASS, model: "claude-sonnet-4-5", systemPrompt: "Be brief." }, /at model\nrecorded: .*\nasked: /],
  ["set of tools", { ...BYPASS, systemPrompt: "Be brief.", disallowedTools: ["Grep"] }, /at tools\[\d+\]/],
])("another %s is shown", async (_, options, difference) => {
  const { taken, sent } = await recordedOf([DONE], { ...BYPASS, systemPrompt: "Be brief." })
  const asked = setting.api.log.length
  const { booted } = playing(setting, taken, options)
  await prompts(booted, sent)
  expect(lastErrors(takeRecording(booted.session))).toMatch(difference)
  expect(setting.api.log.length).toBe(asked)
})

it("a title is played, and one that was not recorded ends the session's turns", async () => {
  const script = scriptName("title")
  setting.scripted(
    { turns: [DONE, textAnswer("Again.")], side: textAnswer("Greeting things") } as unknown as Turns,
    script,
  )
  const harness = setting.harnessOf({ ...BYPASS, ...RECORD })
  const booted = harness.boot()
  const client = harness.connect()
  await client.initialize()
  await prompts(booted, [promptFor(script)])
  const description = `${promptFor(script)} hello`
  await client.request("generate_session_title", { description })
  await prompts(booted, ["more"])
  const recorded = takeRecording(booted.session)
  const asked = setting.api.log.length

  const again = playing(setting, recorded, BYPASS)
  const other = again.harness.connect()
  await other.initialize()
  await prompts(again.booted, [promptFor(script)])
  const title = (words: string) => other.request("generate_session_title", { description: words })
  expect(await title(description)).toMatchObject({ response: { title: "Greeting things" } })
  await prompts(again.booted, ["more"])
  expect(firstSignalDifference(recorded.signals, takeRecording(again.booted.session).signals)).toBeNull()
  expect(await title("another")).toMatchObject({ response: { title: null } })
  await prompts(again.booted, ["and more"])
  expect(lastErrors(takeRecording(again.booted.session))).toMatch(/RecordingNotFound[^]*asked: .*another/)
  expect(setting.api.log.length).toBe(asked)
})

it("a compaction that was not recorded fails, and so does what comes after it", async () => {
  const { taken, sent } = await recordedOf(
    { turns: [textAnswer("one"), textAnswer("two")], compact: summaryNaming("x") },
    BYPASS,
    ["two"],
  )
  const asked = setting.api.log.length
  const { booted } = playing(setting, taken, BYPASS)
  await prompts(booted, [...sent, "/compact", "three"])
  expect(lastErrors(takeRecording(booted.session))).toContain("RecordingNotFound")
  expect(setting.api.log.length).toBe(asked)
})

it("a search and an agent whose answers are missing end the turn", async () => {
  const sub = setting.scripted([textAnswer("Sub result.")])
  const agent = { description: "help", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
  for (const [use, part] of [
    [call("WebSearch", { query: "perch the fish" }), "perch the fish"],
    [call("Agent", agent), "You are a helper."],
  ] as const) {
    const turns = { turns: [{ content: [use] }, DONE], side: textAnswer("It is a fish.") }
    const { taken, sent } = await recordedOf(turns, { ...BYPASS, agents: AGENTS })
    // The answer to the request in the middle, which belongs to neither step.
    const models = taken.answers.filter(({ kind }) => kind === "model")
    expect(models.length).toBe(3)
    const without = { ...taken, answers: taken.answers.filter((answer) => answer !== models[1]) }
    const asked = setting.api.log.length
    const { booted } = playing(setting, without, { ...BYPASS, agents: AGENTS })
    await prompts(booted, sent)
    expect([part, lastErrors(takeRecording(booted.session))]).toEqual([
      part,
      expect.stringContaining("RecordingNotFound"),
    ])
    expect(setting.api.log.length).toBe(asked)
  }
})

it("texts of megabytes are recorded once, and read in pages of four", async () => {
  const long = Array.from({ length: 6 }, (_, index) => `${"uvwxyz"[index]}`.repeat(800_000))
  const { taken, sent, script } = await recordedOf(
    Array.from({ length: 7 }, (_, index) => textAnswer(`Answer ${index}.`)),
    BYPASS,
    long,
  )
  expect(script).toBeDefined()
  const held = JSON.stringify([taken.answers, taken.chunks]).length
  const given = long.join("").length
  expect(held).toBeGreaterThan(given)
  expect(held).toBeLessThan(given * 1.1)
  const asked = setting.api.log.length
  const { booted } = playing(setting, taken, BYPASS)
  await prompts(booted, sent)
  expect(firstSignalDifference(taken.signals, takeRecording(booted.session).signals)).toBeNull()
  expect(setting.api.log.length).toBe(asked)
})
