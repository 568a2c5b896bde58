// Compactions with hooks that block them, add context, or fail.
import { bash, calls, promptsInTurn, says, type Scenario } from "../agents/scenario.ts"
import { conversation, FULL, SMALL_WINDOW } from "./compacting.ts"

const TWO = [says("first answer"), says("second answer")]
const FILLED = [says("first answer"), says("second answer", FULL), says("third answer")]
const BY_HAND = ["second prompt", "/compact", "third prompt"]

export const HOOKED: ReadonlyArray<Scenario> = [
  conversation("compact-hook-blocks", TWO, BY_HAND, {
    hooks: { PreCompact: () => ({ decision: "block", reason: "not in this house" }) },
  }),
  conversation("compact-hook-blocks-with-a-message", TWO, BY_HAND, {
    hooks: { PreCompact: () => ({ decision: "block", reason: "not in this house", systemMessage: "ask next door" }) },
  }),
  conversation("compact-hook-stops", TWO, BY_HAND, {
    hooks: { PreCompact: () => ({ continue: false, stopReason: "enough of this" }) },
  }),
  conversation("compact-hook-speaks", TWO, BY_HAND, {
    hooks: { PreCompact: () => ({ systemMessage: "a word before it" }) },
  }),
  conversation("compact-hook-after-speaks", TWO, BY_HAND, {
    hooks: { PostCompact: () => ({ systemMessage: "a word after it" }) },
  }),
  conversation("compact-hook-after-blocks", TWO, BY_HAND, {
    hooks: { PostCompact: () => ({ decision: "block", reason: "too late" }) },
  }),
  conversation("compact-hook-throws", TWO, BY_HAND, {
    hooks: {
      PreCompact: () => {
        throw new Error("the hook broke")
      },
    },
  }),
  conversation("compact-context-of-the-start", TWO, BY_HAND, {
    hooks: {
      SessionStart: () => ({
        hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "the context of the start" },
      }),
    },
  }),
  conversation("compact-start-hook-speaks", TWO, BY_HAND, {
    hooks: { SessionStart: () => ({ systemMessage: "a word at the start" }) },
  }),
  conversation("compact-after-a-context-of-the-end", TWO, ["/compact", "second prompt"], {
    hooks: {
      Stop: (input) =>
        "stop_hook_active" in input && input.stop_hook_active
          ? {}
          : { hookSpecificOutput: { hookEventName: "Stop", additionalContext: "the context of the end" } },
    },
  }),
  conversation("auto-start-hook-speaks", FILLED, ["second prompt", "third prompt"], {
    options: SMALL_WINDOW,
    hooks: { SessionStart: () => ({ systemMessage: "a word at the start" }) },
  }),
  conversation("auto-hook-blocks", FILLED, ["second prompt", "third prompt"], {
    options: SMALL_WINDOW,
    hooks: { PreCompact: () => ({ decision: "block", reason: "not in this house" }) },
  }),
  conversation("auto-hook-speaks", FILLED, ["second prompt", "third prompt"], {
    options: SMALL_WINDOW,
    hooks: { PreCompact: () => ({ systemMessage: "a word before it" }) },
  }),
  conversation(
    "auto-context-of-a-result",
    [says("first answer"), { ...calls(bash("t1", "echo t1")), ...FULL }, says("late")],
    ["second prompt"],
    {
      options: SMALL_WINDOW,
      hooks: {
        PostToolUse: () => ({
          hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "the context of the result" },
        }),
      },
    },
  ),
  {
    name: "clear-start-hook-speaks",
    script: [says("first answer")],
    scripts: { "clear-start-hook-speaks-anew": [says("fresh answer")] },
    hooks: { SessionStart: () => ({ systemMessage: "a word at the start" }) },
    input: promptsInTurn(
      "[[script:clear-start-hook-speaks]] go",
      "/clear",
      "[[script:clear-start-hook-speaks-anew]] anew",
    ),
  },
  conversation("auto-context-of-the-start", FILLED, ["second prompt", "third prompt"], {
    options: SMALL_WINDOW,
    hooks: {
      SessionStart: () => ({
        hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "the context of the start" },
      }),
    },
  }),
]
