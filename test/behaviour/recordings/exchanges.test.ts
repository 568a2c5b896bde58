// Each kind of exchange with the outside, recorded and played: failures of the model, interrupts, compactions, tools of
// clients, side requests.
import { expect, it } from "vitest"
import { firstSignalDifference } from "../../../src/recording/compare-signals.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop, type Turns, until } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, prompt, type SessionHarness } from "../../support/session/session-harness.ts"
import { FULL, SMALL_WINDOW, summaryNaming } from "../compaction/compactions.ts"
import { playing, prompts, RECORD, resultsOf, takeRecording } from "./recordings.ts"

const setting = loop()

const write = (content: string) => ({
  content: [text("Next."), call("Write", { file_path: "/workspace/a.txt", content })],
})
const bash = (command: string) => ({ content: [call("Bash", { command, description: "d" })] })

const NOW = { "retry-after-ms": "1" }
const busy = { error: { status: 529, type: "overloaded_error", message: "busy", headers: NOW } }
const wrong = { error: { status: 400, type: "invalid_request_error", message: "something is off" } }

interface Case {
  /** The first prompt's script. */
  readonly turns: unknown
  readonly options?: SessionOptions
  /** Prompts after the first. */
  readonly more?: ReadonlyArray<string>
  /** Runs only while the session is recorded. */
  readonly meanwhile?: (harness: SessionHarness, booted: Booted, script: string) => Promise<void>
  /** Runs before the prompts, in the recording and in the playback. */
  readonly before?: (harness: SessionHarness, booted: Booted, script: string) => Promise<void>
  /** Fields of the recorded results. */
  readonly gives: ReadonlyArray<object>
}

const SUMMARY = summaryNaming("behind")

const CASES: Readonly<Record<string, () => Case>> = {
  "an overloaded model that answers at the second time": () => ({
    turns: [[busy, write("a")], bash("cat a.txt"), DONE],
    gives: [{ subtype: "success", result: "Done." }],
  }),
  "a request that the API refuses": () => ({
    turns: [write("a"), [wrong, wrong, textAnswer("Again.")], DONE],
    more: ["and now?"],
    gives: [{ is_error: true }, { result: "Again." }],
  }),
  "an answer that breaks off with an error": () => ({
    turns: [[{ ...write("a"), mid_error: { after: 4, type: "overloaded_error", message: "busy" } }, write("b")], DONE],
    gives: [{ subtype: "success" }],
  }),
  "an answer whose connection is cut": () => ({
    turns: [[{ ...textAnswer("a long answer"), drop: { after: 3 } }, textAnswer("another")], DONE],
    gives: [{ subtype: "success", result: "another" }],
  }),
  "an answer that stops without an end": () => ({
    turns: [[{ ...write("a"), ends: { after: 3 } }, write("b")], DONE],
    gives: [{ subtype: "success" }],
  }),
  "an answer that comes in small pieces, with partial messages": () => ({
    turns: [
      { ...write("a".repeat(50)), chunk: 3 },
      { ...textAnswer("Some words, one after the other."), chunk: 2 },
    ],
    options: { ...BYPASS, includePartialMessages: true },
    gives: [{ subtype: "success" }],
  }),
  "a turn that a client stops while the model answers": () => ({
    turns: [write("a"), { ...textAnswer("never whole"), chunk: 5, pause: { after: 4 } }, DONE],
    options: { ...BYPASS, includePartialMessages: true },
    more: ["go on"],
    meanwhile: async (harness, booted, script) => {
      const lines = harness.view()
      await until(() => JSON.stringify(lines).includes("never"))
      await booted.stopTurn()
      setting.api.release(`${script}#1`)
    },
    gives: [{ terminal_reason: "aborted_streaming" }, {}],
  }),
  "a turn that a client stops before the model answers": () => ({
    turns: [write("a"), { ...textAnswer("too late"), hold: {} }],
    more: ["go on"],
    meanwhile: async (_, booted, script) => {
      await until(() => setting.api.open().waiting[`${script}#1`] === 1)
      await booted.stopTurn()
      setting.api.release(`${script}#1`)
    },
    gives: [{ terminal_reason: "aborted_streaming" }, {}],
  }),
  "a conversation that is compacted by hand": () => ({
    turns: { turns: [textAnswer("first answer"), textAnswer("second answer")], compact: SUMMARY },
    more: ["two", "/compact mind the names", "three"],
    gives: [{ result: "first answer" }, { result: "second answer" }, { local_command: "compact" }, {}],
  }),
  "a conversation that is compacted by itself": () => ({
    turns: { turns: [textAnswer("first answer"), { ...textAnswer("second answer"), ...FULL }], compact: SUMMARY },
    options: SMALL_WINDOW,
    more: ["two", "three"],
    gives: [{ result: "first answer" }, { result: "second answer" }, {}],
  }),
  "a search of the web, which is a request of its own": () => ({
    turns: {
      turns: [{ content: [call("WebSearch", { query: "perch the fish" })] }, DONE],
      side: textAnswer("It is a fish."),
    },
    gives: [{ result: "Done." }],
  }),
  "a tool that a client runs": () => ({
    turns: [{ content: [text("Asking."), call("ask_app", { what: "time" })] }, DONE],
    options: {
      ...BYPASS,
      clientTools: [{ name: "ask_app", description: "Asks the app.", inputSchema: { type: "object" } }],
    },
    meanwhile: async (_, { session }) => {
      await until(() => session.askStore.open.length === 1)
      session.asks.answer(session.askStore.open[0]?.requestId ?? "", { content: "It is late." })
    },
    gives: [{ result: "Done." }],
  }),
  "a structured answer": () => ({
    turns: [write("a"), { content: [call("StructuredOutput", { answer: 7 })] }, DONE],
    options: {
      ...BYPASS,
      outputFormat: { type: "json_schema", schema: { type: "object", properties: { answer: { type: "number" } } } },
    },
    gives: [{ structured_output: { answer: 7 } }],
  }),
}

it.each(Object.entries(CASES))("%s", async (_, caseOf) => {
  const { turns, options = BYPASS, more = [], before, meanwhile, gives } = caseOf()
  const script = scriptName("exchange")
  setting.scripted(turns as Turns, script)
  setting.scripted([textAnswer("after the summary")], "behind")
  const sent = [promptFor(script), ...more]
  const harness = setting.harnessOf({ ...options, ...RECORD })
  const booted = harness.boot()
  await before?.(harness, booted, script)
  if (meanwhile === undefined) await prompts(booted, sent)
  else {
    prompt(booted.session, sent[0] ?? "")
    await meanwhile(harness, booted, script)
    await booted.idle()
    await prompts(booted, more)
  }
  const recorded = takeRecording(booted.session)
  expect(resultsOf(recorded)).toMatchObject(gives)
  const asked = setting.api.log.length

  const again = playing(setting, recorded, options)
  await before?.(again.harness, again.booted, script)
  await prompts(again.booted, sent)
  const played = takeRecording(again.booted.session)
  expect(firstSignalDifference(recorded.signals, played.signals)).toBeNull()
  expect(played.signals.length).toBe(recorded.signals.length)
  expect(setting.api.log.length).toBe(asked)
})
