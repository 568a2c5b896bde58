// Workflows for property tests: tables of handlers and agents over five signals, and agents whose answers are a function of
// their prompts.
import { Effect, Ref } from "effect"
import fc from "fast-check"
import { createHash } from "node:crypto"
import { createWorkflow, type RunnableWorkflow } from "../../../src/signals/create-workflow.ts"
import { defineHandler } from "../../../src/signals/handler.ts"
import type { WorkflowState } from "../../../src/signals/state.ts"
import { answerOf } from "./scripted-harness.ts"

const NAMES = ["a", "b:x", "b:y", "c", "d:e:f"] as const
const PATTERNS = [...NAMES, "b:*", "d:**", "workflow:start"]

export interface GeneratedState {
  readonly count: number
  readonly seen: ReadonlyArray<string>
}

export interface GeneratedWorkflow {
  readonly workflow: RunnableWorkflow<GeneratedState>
  /** The text with which a model answers a prompt. */
  readonly answer: (prompt: string) => string
  /** Names of signals that come from outside before the run begins. */
  readonly outside: ReadonlyArray<string>
}

const names = fc.array(fc.constantFrom(...NAMES), { maxLength: 2 })
const listens = fc.uniqueArray(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 3 })

const numberOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE(0)

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
    outside: names,
    start: names,
  })
  .map(({ handlers, agents, until, failing, outside, start }) => ({
    outside,
    answer: (prompt) => {
      // What follows tells a model how to answer.
      const asked = prompt.slice(0, prompt.indexOf("\n"))
      const { emits } = JSON.parse(asked) as { emits: ReadonlyArray<string> }
      const number = numberOf(asked)
      if (number % 23 === 0) throw new Error("The model is away.")
      // With several signals to choose from this is no answer.
      if (number % 19 === 0) return "I don't know."
      return answerOf(
        ...emits.filter((_, at) => (number >> at) % 2 === 1).map((name) => ({ name, payload: { number: number % 7 } })),
      )
    },
    workflow: createWorkflow<GeneratedState>({
      name: "generated",
      initialState: { count: 0, seen: [] },
      handlers: [
        defineHandler({
          signals: ["workflow:start"],
          handle: () => Effect.succeed(start.map((name) => ({ name, payload: { first: true } }))),
        }),
        ...handlers.map(({ on, emits, modulo }) =>
          defineHandler({
            signals: on,
            handle: ({ name, payload }, ref: WorkflowState<GeneratedState>) =>
              Effect.gen(function* () {
                const seen = `${name} ${JSON.stringify(payload)}`
                yield* Ref.update(ref, (state) => ({ count: state.count + 1, seen: [...state.seen, seen].slice(-5) }))
                const { count } = yield* Ref.get(ref)
                if (count === failing) return yield* Effect.fail(new Error("The handler can't count that far."))
                return count % modulo === 0 ? emits.map((emitted) => ({ name: emitted, payload: { count } })) : []
              }),
          }),
        ),
      ],
      agents: agents.map(({ on, emits }, at) => ({
        name: `agent-${at}`,
        activatesOn: on,
        emits,
        prompt: (state: GeneratedState, { name, payload }) => JSON.stringify({ at, emits, state, name, payload }),
      })),
      until: ({ count }) => count >= until,
      limits: { queue: 20, depth: 15, agents: 12 },
    }),
  }))
