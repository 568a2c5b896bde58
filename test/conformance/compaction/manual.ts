// `/compact` and `/clear` at several moments of a conversation, with the answers of hooks.
import { bash, call, calls, promptsInTurn, says, type Scenario, userMessage, isSystem } from "../agents/scenario.ts"
import { conversation, FULL, prompts, scripts, summaryNaming, TOO_LONG, fails } from "./compacting.ts"

const TWO = [says("first answer"), says("second answer")]
// The SDK treats an `undefined` option as absent; its types only allow an absent one.
const NO_MODEL = { model: undefined } as unknown as { readonly model: string }
const BY_HAND = ["second prompt", "/compact", "third prompt"]
const reads = (label: string) => calls(bash(label, `echo ${label}`))

export const MANUAL: ReadonlyArray<Scenario> = [
  conversation("compact-by-hand", TWO, ["second prompt", "/compact", "third prompt"]),
  conversation("compact-with-instructions", TWO, ["second prompt", "/compact keep all names", "third prompt"]),
  conversation("compact-one-exchange", TWO, ["/compact", "second prompt"]),
  {
    name: "compact-nothing",
    script: [says("first answer")],
    input: promptsInTurn("/compact", "[[script:compact-nothing]] go"),
  },
  conversation("compact-twice", TWO, ["second prompt", "/compact", "third prompt", "/compact", "fourth prompt"]),
  conversation("compact-twice-in-a-row", TWO, ["second prompt", "/compact", "/compact", "fourth prompt"]),
  conversation(
    "compact-with-tools",
    [reads("t1"), says("first answer"), reads("t2"), says("second answer")],
    ["second prompt", "/compact", "third prompt"],
  ),
  conversation(
    "compact-tools-in-the-turn-before",
    [reads("t1"), says("first answer"), says("second answer")],
    ["second prompt", "/compact", "third prompt"],
  ),
  conversation(
    "compact-with-thinking",
    [
      says("first answer"),
      {
        content: [
          { type: "thinking", thinking: "let me see", signature: "sig-1" },
          { type: "text", text: "second answer" },
        ],
      },
    ],
    ["second prompt", "/compact", "third prompt"],
  ),
  conversation(
    "compact-after-calls-of-thinking",
    [
      says("first answer"),
      {
        content: [{ type: "thinking", thinking: "let me see", signature: "sig-1" }, bash("t1", "echo t1")],
      },
      says("second answer"),
    ],
    ["second prompt", "/compact", "third prompt"],
  ),
  conversation(
    "compact-calls-before-a-prompt",
    [says("first answer"), reads("t1"), says("second answer"), says("third answer")],
    ["second prompt", "third prompt", "/compact", "fourth prompt"],
  ),
  conversation("compact-summary-with-thinking", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: {
      content: [
        { type: "thinking", thinking: "what matters", signature: "sig-2" },
        {
          type: "text",
          text: "<summary>SUMMARY [[script:compact-summary-with-thinking-after]] conversation</summary>",
        },
      ],
    },
  }),
  conversation("compact-summary-without-tags", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: says("PLAIN SUMMARY [[script:compact-summary-without-tags-after]]"),
  }),
  conversation("compact-summary-cut-short", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: { ...summaryNaming("compact-summary-cut-short-after"), stop_reason: "max_tokens" },
  }),
  conversation("compact-summary-quotes-tags", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: says(
      "<summary>The page has <summary>Title</summary>. [[script:compact-summary-quotes-tags-after]]</summary>",
    ),
  }),
  conversation("compact-summary-only-analysis", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: says("<analysis>only thoughts</analysis>"),
  }),
  conversation("compact-summary-empty", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: { content: [] },
  }),
  conversation("compact-summary-calls-a-tool", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: calls(bash("t1", "echo no")),
  }),
  conversation("compact-summary-fails", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: fails(400, "invalid_request_error", "bad request"),
  }),
  conversation("compact-summary-denied", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: fails(403, "permission_error", "not allowed"),
  }),
  conversation(
    "compact-summary-too-long",
    [says("first answer"), says("second answer"), says("third answer")],
    ["second prompt", "third prompt", "/compact", "fourth prompt"],
    {
      compact: TOO_LONG,
    },
  ),
  {
    name: "compact-again-too-long",
    script: { turns: TWO, compact: summaryNaming("compact-again-too-long-after") },
    scripts: {
      "compact-again-too-long-after": { turns: [says("third answer"), says("fourth answer")], compact: TOO_LONG },
    },
    input: prompts("compact-again-too-long", ...BY_HAND, "fourth prompt", "/compact", "fifth prompt"),
  },
  conversation(
    "compact-after-an-api-error",
    [says("first answer"), says("second answer"), fails(403, "permission_error", "no")],
    ["second prompt", "third prompt", "/compact", "fourth prompt"],
  ),
  conversation("compact-after-a-local-command", TWO, ["second prompt", "/context", "/compact", "third prompt"]),
  conversation("compact-after-a-stopped-call", [says("first answer"), reads("t1"), says("second answer")], BY_HAND, {
    hooks: {
      PreToolUse: () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } }),
    },
    canUseTool: async () => ({ behavior: "deny", message: "stop it", interrupt: true }),
  }),
  conversation(
    "compact-full",
    [says("first answer"), says("second answer", FULL)],
    ["second prompt", "/compact", "third prompt"],
  ),
  {
    name: "compact-with-an-agent",
    ...scripts("compact-with-an-agent", [
      says("first answer"),
      calls(
        call("t1", "Agent", {
          description: "help me",
          subagent_type: "helper",
          prompt: "[[script:compact-with-an-agent-sub]] sub go",
          run_in_background: false,
        }),
      ),
      says("second answer"),
    ]),
    options: { agents: { helper: { description: "Helper agent", prompt: "You are a helper.", tools: ["Bash"] } } },
    input: prompts("compact-with-an-agent", "second prompt", "/compact", "third prompt"),
  },
  {
    name: "compact-during-an-agent",
    ...scripts("compact-during-an-agent", [
      says("first answer"),
      calls(
        call("t1", "Agent", {
          description: "help me",
          subagent_type: "helper",
          prompt: "[[script:compact-during-an-agent-sub]] sub go",
          run_in_background: true,
        }),
      ),
      says("second answer"),
    ]),
    scripts: {
      "compact-during-an-agent-after": [says("after the summary"), says("after the report")],
      "compact-during-an-agent-sub": [{ ...says("sub done"), hold: {} }],
    },
    lanes: true,
    options: { agents: { helper: { description: "Helper agent", prompt: "You are a helper.", tools: ["Bash"] } } },
    input: async function* (context) {
      for (const prompt of [`[[script:${context.name}]] go`, "second prompt", "/compact", "third prompt"]) {
        const answered = context.nextResult()
        yield userMessage(prompt)
        await answered
      }
      const reported = context.nextResult()
      await context.release("compact-during-an-agent-sub#0")
      await reported
    },
  },
  conversation("compact-as-an-agent", TWO, ["second prompt", "/compact", "third prompt"], {
    options: { agent: "helper", agents: { helper: { description: "Helper agent", prompt: "You are a helper." } } },
  }),
  conversation("compact-summary-refused", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: { ...says("I cannot help with that"), stop_reason: "refusal" },
  }),
  conversation("compact-summary-breaks-off", TWO, ["second prompt", "/compact", "third prompt"], {
    compact: {
      ...summaryNaming("compact-summary-breaks-off-after"),
      mid_error: { after: 4, type: "overloaded_error", message: "Overloaded" },
    },
  }),
  {
    name: "compact-then-resume-without-a-model",
    ...scripts("compact-then-resume-without-a-model", TWO),
    steps: [
      {
        input: prompts("compact-then-resume-without-a-model", "second prompt", "/compact"),
        options: { model: "claude-opus-4-6" },
      },
      { prompt: "third prompt", options: ({ previous }) => ({ resume: previous[0]?.session ?? "", ...NO_MODEL }) },
    ],
  },
  {
    name: "compact-then-resume",
    ...scripts("compact-then-resume", TWO),
    steps: [
      { input: prompts("compact-then-resume", "second prompt", "/compact") },
      { prompt: "third prompt", options: ({ previous }) => ({ resume: previous[0]?.session ?? "" }) },
    ],
  },
  {
    name: "compact-then-fork",
    ...scripts("compact-then-fork", TWO),
    steps: [
      { input: prompts("compact-then-fork", "second prompt", "/compact") },
      {
        prompt: "third prompt",
        options: ({ previous }) => ({ resume: previous[0]?.session ?? "", forkSession: true }),
      },
    ],
  },
  {
    name: "compact-sent-while-a-turn-runs",
    ...scripts("compact-sent-while-a-turn-runs", [says("first answer"), { ...says("second answer"), hold: {} }]),
    input: async function* (context) {
      const first = context.nextResult()
      yield userMessage(`[[script:${context.name}]] go`)
      await first
      yield userMessage("second prompt")
      await context.requested(context.name, 2)
      const second = context.nextResult()
      yield userMessage("/compact")
      await context.release(`${context.name}#1`)
      await second
      const third = context.nextResult()
      await third
      const last = context.nextResult()
      yield userMessage("third prompt")
      await last
    },
  },
  {
    name: "compact-interrupted",
    ...scripts("compact-interrupted", TWO, {
      compact: { ...summaryNaming("compact-interrupted-after"), hold: { gate: "compact-interrupted-never" } },
    }),
    input: prompts("compact-interrupted", "second prompt", "/compact", "third prompt"),
    during: async (query, message, context) => {
      if (isSystem(message, "status") && "status" in message && message.status === "compacting") {
        await context.summaryRequested()
        await query.interrupt()
      }
    },
  },
]

export const CLEARED: ReadonlyArray<Scenario> = [
  {
    name: "clear-between-prompts",
    script: [says("first answer")],
    scripts: { "clear-between-prompts-anew": [says("fresh answer")] },
    input: promptsInTurn("[[script:clear-between-prompts]] go", "/clear", "[[script:clear-between-prompts-anew]] anew"),
  },
  {
    name: "clear-first",
    script: [says("first answer")],
    input: promptsInTurn("/clear", "[[script:clear-first]] go"),
  },
  {
    name: "clear-twice",
    script: [says("first answer")],
    scripts: { "clear-twice-anew": [says("fresh answer")] },
    input: promptsInTurn("[[script:clear-twice]] go", "/clear", "/clear", "[[script:clear-twice-anew]] anew"),
  },
  {
    name: "clear-by-another-name",
    script: [says("first answer")],
    scripts: { "clear-by-another-name-anew": [says("fresh answer")] },
    input: promptsInTurn("[[script:clear-by-another-name]] go", "/reset", "[[script:clear-by-another-name-anew]] anew"),
  },
  {
    name: "clear-after-a-compaction",
    ...scripts("clear-after-a-compaction", TWO),
    input: prompts(
      "clear-after-a-compaction",
      "second prompt",
      "/compact",
      "/clear",
      "[[script:clear-after-a-compaction-after]] anew",
    ),
  },
  {
    name: "compact-after-clear",
    script: [says("first answer")],
    input: promptsInTurn(
      "[[script:compact-after-clear]] go",
      "/clear",
      "/compact",
      "/compact",
      "[[script:compact-after-clear]] anew",
    ),
  },
  {
    name: "compact-after-clear-first",
    script: [says("first answer")],
    input: promptsInTurn("/clear", "/compact", "[[script:compact-after-clear-first]] go"),
  },
  {
    name: "compact-nothing-twice",
    script: [says("first answer")],
    input: promptsInTurn("/compact", "/compact", "[[script:compact-nothing-twice]] go"),
  },
  {
    name: "clear-hook-speaks",
    script: [says("first answer")],
    scripts: { "clear-hook-speaks-anew": [says("fresh answer")] },
    hooks: { SessionEnd: () => ({ systemMessage: "a word at the end" }) },
    input: promptsInTurn("[[script:clear-hook-speaks]] go", "/clear", "[[script:clear-hook-speaks-anew]] anew"),
  },
  {
    name: "clear-with-a-context",
    script: [says("first answer")],
    scripts: { "clear-with-a-context-anew": [says("fresh answer")] },
    hooks: {
      SessionStart: () => ({
        hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "the context of the start" },
      }),
    },
    input: promptsInTurn("[[script:clear-with-a-context]] go", "/clear", "[[script:clear-with-a-context-anew]] anew"),
  },
]
