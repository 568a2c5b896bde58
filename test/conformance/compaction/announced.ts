// Compactions and local commands whose clients request more: stream events, replayed prompts, states of prompts with a uuid.
import { bash, calls, promptsInTurn, says, type Scenario, userMessage } from "../agents/scenario.ts"
import { conversation, FULL, prompts, scripts, SMALL_WINDOW, TOO_LONG } from "./compacting.ts"

const TWO = [says("first answer"), says("second answer")]
const FILLED = [says("first answer"), says("second answer", FULL), says("third answer")]
const REPLAYED = { options: { extraArgs: { "replay-user-messages": null } } }
const PARTIALS = { options: { includePartialMessages: true } }
const SMALL_PARTIALS = { options: { ...SMALL_WINDOW, includePartialMessages: true } }

const id = (digit: number) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111` as const

const named = (name: string, ...texts: ReadonlyArray<string>): Pick<Scenario, "input"> => ({
  input: async function* (context) {
    for (const [index, text] of [`[[script:${name}]] go`, ...texts].entries()) {
      const answered = context.nextResult()
      yield { ...userMessage(text), uuid: id(index + 1) }
      await answered
    }
  },
})

export const ANNOUNCED: ReadonlyArray<Scenario> = [
  conversation("partials-by-hand", TWO, ["second prompt", "/compact", "third prompt"], PARTIALS),
  conversation("partials-auto", FILLED, ["second prompt", "third prompt"], SMALL_PARTIALS),
  conversation(
    "partials-auto-between-steps",
    [says("first answer"), calls(bash("t1", "echo t1")), { ...calls(bash("t2", "echo t2")), ...FULL }, says("late")],
    ["second prompt"],
    SMALL_PARTIALS,
  ),
  conversation("partials-auto-fails", FILLED, ["second prompt", "third prompt"], {
    ...SMALL_PARTIALS,
    hooks: { PreCompact: () => ({ decision: "block", reason: "not in this house" }) },
  }),
  conversation(
    "partials-refused",
    [says("first answer"), says("second answer"), TOO_LONG],
    ["second prompt", "third prompt"],
    PARTIALS,
  ),
  {
    name: "named-compact",
    ...scripts("named-compact", TWO),
    ...named("named-compact", "second prompt", "/compact", "third prompt"),
  },
  {
    name: "named-clear",
    script: [says("first answer")],
    ...named("named-clear", "/clear", "[[script:named-clear]] anew"),
  },
  {
    name: "named-compact-fails",
    ...scripts("named-compact-fails", TWO),
    hooks: { PreCompact: () => ({ decision: "block", reason: "not in this house" }) },
    ...named("named-compact-fails", "/compact", "third prompt"),
  },
  {
    name: "named-compact-nothing",
    script: TWO,
    ...named("named-compact-nothing", "/clear", "/compact"),
  },
  {
    name: "replayed-compact",
    ...scripts("replayed-compact", TWO),
    input: prompts("replayed-compact", "second prompt", "/compact", "third prompt"),
    ...REPLAYED,
  },
  {
    name: "replayed-clear",
    script: TWO,
    input: promptsInTurn("[[script:replayed-clear]] go", "/clear", "/compact", "[[script:replayed-clear]] anew"),
    ...REPLAYED,
  },
  {
    name: "replayed-local-command",
    script: TWO,
    input: promptsInTurn("[[script:replayed-local-command]] go", "/context", "/nothing-of-that-name", "last"),
    ...REPLAYED,
  },
  {
    name: "replayed-stopped-prompt",
    script: TWO,
    input: promptsInTurn("[[script:replayed-stopped-prompt]] go", "no further", "last"),
    hooks: {
      UserPromptSubmit: (input) =>
        "prompt" in input && input.prompt === "no further" ? { continue: false, stopReason: "enough" } : {},
    },
    ...REPLAYED,
  },
  {
    name: "replayed-blank-prompt",
    script: TWO,
    input: promptsInTurn("[[script:replayed-blank-prompt]] go", "  ", "last"),
    ...REPLAYED,
  },
  {
    name: "replayed-blocked-prompt",
    script: TWO,
    input: promptsInTurn("[[script:replayed-blocked-prompt]] go", "no further", "last"),
    hooks: {
      UserPromptSubmit: (input) =>
        "prompt" in input && input.prompt === "no further" ? { decision: "block", reason: "not this" } : {},
    },
    ...REPLAYED,
  },
]
