// Workflows for property tests: tables of handlers and agents over six signals, and agents whose answers are a function of
// their prompts.
import { Effect, Ref, Schema } from "effect"
import fc from "fast-check"
import { createHash } from "node:crypto"
import type { Emitted } from "../../../src/schemas/signal.ts"
import { createWorkflow, type RunnableWorkflow } from "../../../src/signals/create-workflow.ts"
import { defineHandler } from "../../../src/signals/handler.ts"
import { defineSignal } from "../../../src/signals/signal.ts"
import type { WorkflowState } from "../../../src/signals/state.ts"
import { answerOf } from "./scripted-harness.ts"

/** A signal whose decoded payload is not plain JSON. */
const Dated = defineSignal("dated", { at: Schema.Date, count: Schema.Int })
const NAMES = ["a", "b:x", "b:y", "c", "d:e:f", Dated.name] as const
const PATTERNS = [...NAMES, "b:*", "d:**", "workflow:start"]

const State = Schema.Struct({
  count: Schema.Int,
  seen: Schema.Array(Schema.String),
  latest: Schema.Date,
})
export type GeneratedState = typeof State.Type

export interface GeneratedWorkflow {
  readonly workflow: RunnableWorkflow<GeneratedState>
  /** The model's answer to a prompt; throws when the model is unavailable. */
  readonly answer: (prompt: string) => string
  /** Names of signals that arrive from outside before the run starts. */
  readonly outside: ReadonlyArray<string>
}

const plainNames = fc.array(fc.constantFrom("a", "b:x", "b:y"), { maxLength: 2 })
const names = fc.array(fc.constantFrom(...NAMES), { maxLength: 2 })
const listens = fc.uniqueArray(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 3 })

const numberOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE(0)

const emittedAs = (name: string, count: number): Emitted =>
  name === Dated.name ? Dated({ at: new Date(count * 1000), count }) : { name, payload: { count } }

export const generatedWorkflow: fc.Arbitrary<GeneratedWorkflow> = fc
  .record({
    handlers: fc.array(fc.record({ on: listens, emits: names, modulo: fc.integer({ min: 1, max: 4 }) }), {
      maxLength: 4,
    }),
    agents: fc.array(fc.record({ on: listens, emits: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }) }), {
      maxLength: 3,
    }),
    until: fc.integer({ min: 1, max: 25 }),
    failing: fc.integer({ min: 1, max: 50 }),
    limits: fc.record({
      queue: fc.constantFrom(3, 6, 20),
      depth: fc.constantFrom(4, 15),
      agents: fc.constantFrom(4, 12),
    }),
    outside: plainNames,
    start: names,
  })
  .map(({ handlers, agents, until, failing, limits, outside, start }) => ({
    outside,
    answer: (prompt) => {
      // The first line is the data; the rest describes to a model how to answer.
      const asked = prompt.slice(0, prompt.indexOf("\n"))
      const { emits } = JSON.parse(asked) as { emits: ReadonlyArray<string> }
      const number = numberOf(asked)
      if (number % 23 === 0) throw new Error("The model is away.")
      // If there are several signals to choose from, this is not a valid answer.
      if (number % 19 === 0) return "I don't know."
      return answerOf(...emits.filter((_, at) => (number >> at) % 2 === 1).map((name) => emittedAs(name, number % 7)))
    },
    workflow: createWorkflow<GeneratedState>({
      name: "generated",
      initialState: { count: 0, seen: [], latest: new Date(0) },
      stateSchema: State,
      handlers: [
        defineHandler({
          signals: ["workflow:start"],
          handle: () => Effect.succeed(start.map((name) => emittedAs(name, 0))),
        }),
        defineHandler(Dated, ({ payload }, ref: WorkflowState<GeneratedState>) =>
          Effect.as(
            Ref.update(ref, (state) => ({ ...state, latest: new Date(payload.at.getTime() + payload.count) })),
            [],
          ),
        ),
        ...handlers.map(({ on, emits, modulo }) =>
          defineHandler({
            signals: on,
            handle: ({ name, payload }, ref: WorkflowState<GeneratedState>) =>
              Effect.gen(function* () {
                const seen = `${name} ${JSON.stringify(payload)}`
                yield* Ref.update(ref, (state) => ({
                  ...state,
                  count: state.count + 1,
                  seen: [...state.seen, seen].slice(-5),
                }))
                const { count } = yield* Ref.get(ref)
                if (count === failing) return yield* Effect.fail(new Error("The handler can't count that far."))
                return count % modulo === 0 ? emits.map((emitted) => emittedAs(emitted, count)) : []
              }),
          }),
        ),
      ],
      agents: agents.map(({ on, emits }, at) => ({
        name: `agent-${at}`,
        activatesOn: on,
        emits: emits.map((name) => (name === Dated.name ? Dated : name)),
        prompt: (state: GeneratedState, { name, payload }) => JSON.stringify({ at, emits, state, name, payload }),
      })),
      until: ({ count }) => count >= until,
      limits,
    }),
  }))
