// An example of a workflow: two agents argue for and against a claim, in turn, for some rounds.
// Invariant: an argument's side is that of the agent that emitted it, whatever its text says.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { compileWorkflow } from "../workflow.ts"
import { defineHandler } from "../handler.ts"
import { defineSignal } from "../signal.ts"
import { getState, updateState, type WorkflowState } from "../state.ts"

const DebateStart = defineSignal("workflow:start", {
  claim: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2000))),
  rounds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))),
})

const Round = { round: Schema.Int }
const ArgueFor = defineSignal("debate:for", Round)
const ArgueAgainst = defineSignal("debate:against", Round)
const ArgumentMade = defineSignal("argument:made", { text: Schema.String })
const DebateEnded = defineSignal("debate:ended", { arguments: Schema.Int })

const ADVOCATE = "advocate"
const CRITIC = "critic"

const Argument = Schema.Struct({ agent: Schema.String, round: Schema.Int, text: Schema.String })

const DebateState = Schema.Struct({
  claim: Schema.String,
  rounds: Schema.Int,
  round: Schema.Int,
  arguments: Schema.Array(Argument),
  done: Schema.Boolean,
})
type DebateState = typeof DebateState.Type

const begin = defineHandler(
  DebateStart,
  Effect.fnUntraced(function* ({ payload }, state: WorkflowState<DebateState>) {
    yield* updateState(state, (before) => ({ ...before, ...payload, round: 1 }))
    return [ArgueFor({ round: 1 })]
  }),
)

const made = defineHandler(
  ArgumentMade,
  Effect.fnUntraced(function* ({ payload, source }, state: WorkflowState<DebateState>) {
    const agent = source?.agent ?? "outside"
    yield* updateState(state, (before) => ({
      ...before,
      arguments: [...before.arguments, { agent, round: before.round, text: payload.text }],
      round: agent === CRITIC ? before.round + 1 : before.round,
    }))
    const { round, rounds, arguments: all } = yield* getState(state)
    if (agent === ADVOCATE) return [ArgueAgainst({ round })]
    // An argument from outside is recorded, but starts no turn.
    if (agent !== CRITIC) return []
    return [round <= rounds ? ArgueFor({ round }) : DebateEnded({ arguments: all.length })]
  }),
)

const ended = defineHandler(
  DebateEnded,
  Effect.fnUntraced(function* (_signal, state: WorkflowState<DebateState>) {
    yield* updateState(state, (before) => ({ ...before, done: true }))
    return []
  }),
)

const promptOf =
  (side: string) =>
  ({ claim, round, rounds, arguments: all }: DebateState): string =>
    [
      `You argue ${side} this claim: ${claim}`,
      `This is round ${round} of ${rounds}.`,
      ...(all.length === 0
        ? []
        : [`What was argued so far:\n${all.map(({ agent, text }) => `- ${agent}: ${text}`).join("\n")}`]),
      "Make one argument, of three sentences at most, as the signal argument:made with its text.",
    ].join("\n\n")

export const debate = compileWorkflow<DebateState>({
  name: "debate",
  initialState: {
    claim: "A service should keep a log of everything it does.",
    rounds: 2,
    round: 1,
    arguments: [],
    done: false,
  },
  stateSchema: DebateState,
  handlers: [begin, made, ended],
  agents: [
    { name: ADVOCATE, activatesOn: [ArgueFor], emits: [ArgumentMade], prompt: promptOf("for") },
    { name: CRITIC, activatesOn: [ArgueAgainst], emits: [ArgumentMade], prompt: promptOf("against") },
  ],
  until: ({ done }) => done,
})
