// The harness of a recording: the answers of a run against a scripted server, without the server.
import { Effect, Schema, Stream } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { memoryStore } from "../../../src/recording/recording-store.ts"
import type { Recording } from "../../../src/recording/recording.ts"
import { createWorkflow } from "../../../src/signals/create-workflow.ts"
import { defineHandler } from "../../../src/signals/handler.ts"
import { OpenAIHarness } from "../../../src/signals/harness/openai.ts"
import { ReplayHarness } from "../../../src/signals/harness/replay.ts"
import { HarnessService } from "../../../src/signals/harness.ts"
import { defineSignal } from "../../../src/signals/signal.ts"
import { updateState, type WorkflowState } from "../../../src/signals/state.ts"
import { createScriptedOpenAi, type ScriptedOpenAi } from "../../support/openai/scripted-openai.mjs"

let api: ScriptedOpenAi
beforeAll(async () => {
  api = await createScriptedOpenAi()
})
afterAll(() => api.close())

interface Poem {
  readonly lines: ReadonlyArray<string>
}
const Line = defineSignal("poem:line", { text: Schema.String })

/** A poem of three lines, each written by the agent with the same prompt, or with one of its own. */
const poem = (promptOf: (line: number) => string) =>
  createWorkflow<Poem>({
    name: "poem",
    initialState: { lines: [] },
    handlers: [
      defineHandler(Line, (signal, state: WorkflowState<Poem>) =>
        Effect.as(
          updateState(state, ({ lines }) => ({ lines: [...lines, signal.payload.text] })),
          [],
        ),
      ),
    ],
    agents: [
      {
        name: "poet",
        activatesOn: ["workflow:start", Line],
        emits: [Line],
        prompt: ({ lines }) => `[[script:poet]] ${promptOf(lines.length)}`,
      },
    ],
    until: ({ lines }) => lines.length === 3,
  })

const LINES = ["Über allen Gipfeln", "ist Ruh", "in allen Wipfeln"]

/** Runs the workflow against the server; returns its recording. */
const recorded = async (workflow: ReturnType<typeof poem>): Promise<Recording> => {
  api.set(
    "poet",
    LINES.map((text) => ({ text, chunk: 4 })),
  )
  const { state, signals } = await workflow.run({ harness: OpenAIHarness({ model: "gpt-5", baseUrl: api.url }) })
  expect(state.lines).toEqual(LINES)
  const store = memoryStore(new Map())
  return Effect.runPromise(Effect.andThen(store.save("poem", signals), store.load("poem")))
}

it("returns for each prompt its answer in the recorded chunks, without a request", async () => {
  const workflow = poem(() => "Write the next line.")
  const recording = await recorded(workflow)
  const before = api.log.length
  const again = await workflow.run({ harness: ReplayHarness(recording) })
  expect(again.state.lines).toEqual(LINES)
  const named = (signals: Recording["signals"]) =>
    signals.filter(({ name }) => !name.startsWith("harness:")).map(({ name, payload }) => ({ name, payload }))
  expect(named(again.signals)).toEqual(named(recording.signals))
  expect(api.log.length).toBe(before)
})

it("completes with the concatenation of its stream", async () => {
  const recording = await recorded(poem((line) => `Write line ${line}.`))
  const input = recording.signals.find(({ name }) => name === "harness:start")?.payload as { readonly input: string } // as every start
  const use = <A, E>(ask: (harness: HarnessService["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.provide(Effect.flatMap(HarnessService, ask), ReplayHarness(recording)))
  expect(await use((harness) => harness.complete(input.input))).toBe(LINES[0])
  const pieces = await use((harness) => Stream.runCollect(harness.stream(input.input)))
  expect(pieces.join("")).toBe(LINES[0])
})

it("fails for a prompt that was changed, and shows the difference", async () => {
  const recording = await recorded(poem((line) => `Write line ${line}.`))
  const changed = poem((line) => (line === 1 ? "Write a shorter line 1." : `Write line ${line}.`))
  const error = await changed.run({ harness: ReplayHarness(recording) }).catch((failure: unknown) => failure)
  expect(error).toMatchObject({ _tag: "RecordingNotFound", recording: "poem" })
  expect(error).toHaveProperty(
    "difference",
    expect.stringMatching(/at prompt\nrecorded: .*Write line 1\..*\nasked: .*Write a shorter line 1\./),
  )
})

// The signal with the last line activates the poet once more; its answer was not needed.
it("fails for a prompt that is requested once more than it was", async () => {
  const workflow = poem(() => "Write the next line.")
  const recording = await recorded(workflow)
  const start = recording.signals.find(({ name }) => name === "harness:start")?.payload as { readonly input: string } // as every start
  const ask = Effect.flatMap(HarnessService, (harness) =>
    Effect.forEach([1, 2, 3, 4, 5], () => harness.complete(start.input)),
  )
  const error = await Effect.runPromise(Effect.flip(Effect.provide(ask, ReplayHarness(recording))))
  expect(error).toMatchObject({ _tag: "RecordingNotFound", difference: expect.stringContaining("fewer than 5 times") })
})
