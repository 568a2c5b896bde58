// Automatic compactions: between prompts, between steps, in agents, and after the API has refused a request.
import type { SDKUserMessage } from "@anthropic-ai/claude-agent-sdk"
import { bash, call, calls, says, type Scenario } from "../agents/scenario.ts"
import { conversation, fails, FULL, LONG, prompts, scripts, SMALL_WINDOW, TOO_LONG } from "./compacting.ts"

const FILLED = [says("first answer"), says("second answer", FULL), says("third answer")]
const THREE = ["second prompt", "third prompt"]
const small = { options: SMALL_WINDOW }
const IMAGE = {
  type: "image",
  source: {
    type: "base64",
    media_type: "image/png",
    data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  },
} as const
const PDF = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQKJSBub3RoaW5nCg==" },
} as const

/** A conversation whose third request, and its first repetitions, the API refuses because of media in the second prompt. */
const refused = (
  name: string,
  content: Exclude<SDKUserMessage["message"]["content"], string>,
  ...errors: ReadonlyArray<string>
): Scenario => ({
  ...conversation(
    name,
    [
      says("first answer"),
      says("second answer"),
      [...errors.map((error) => fails(400, "invalid_request_error", error)), says("third answer")],
    ],
    [],
  ),
  input: async function* (context) {
    for (const prompt of [`[[script:${name}]] go`, content, "third prompt"]) {
      const answered = context.nextResult()
      yield { type: "user", parent_tool_use_id: null, message: { role: "user", content: prompt } }
      await answered
    }
  },
})
const reads = (label: string, extra = {}) => ({ ...calls(bash(label, `echo ${label}`)), ...extra })

export const AUTOMATIC: ReadonlyArray<Scenario> = [
  conversation("auto-between-prompts", FILLED, THREE, small),
  conversation("auto-goes-on", FILLED, [...THREE, "fourth prompt"], small),
  conversation("auto-one-exchange", [says("first answer", FULL), says("second answer")], ["second prompt"], small),
  conversation(
    "auto-one-exchange-leaves-no-room",
    [reads("t1", { usage: { input_tokens: 178_000, output_tokens: 100 } }), says("late")],
    ["second prompt"],
    small,
  ),
  conversation(
    "auto-between-steps",
    [says("first answer"), reads("t1"), reads("t2", FULL), says("late")],
    ["second prompt"],
    small,
  ),
  conversation(
    "auto-after-the-first-call",
    [says("first answer"), says("second answer"), reads("t1", FULL), says("late")],
    THREE,
    small,
  ),
  conversation(
    "auto-after-calls",
    [says("first answer"), reads("t1"), says("second answer", FULL), says("late")],
    THREE,
    small,
  ),
  conversation(
    "auto-after-calls-of-thinking",
    [
      says("first answer"),
      {
        content: [{ type: "thinking", thinking: "let me see", signature: "sig-1" }, bash("t1", "echo t1")],
      },
      says("second answer", FULL),
      says("late"),
    ],
    THREE,
    small,
  ),
  conversation(
    "auto-after-calls-of-a-first-turn",
    [reads("t1"), says("first answer", FULL), says("late")],
    ["second prompt"],
    small,
  ),
  conversation("refused-after-calls", [says("first answer"), reads("t1"), says("second answer"), TOO_LONG], THREE),
  conversation(
    "refused-later",
    [says("a1"), says("a2"), says("a3"), says("a4"), says("a5"), TOO_LONG],
    ["p2", "p3", "p4", "p5", "p6"],
  ),
  conversation("auto-after-a-call-at-the-last-turn", [says("first answer"), reads("t1", FULL)], THREE, {
    options: { ...SMALL_WINDOW, maxTurns: 1 },
  }),
  conversation("auto-calls-behind-it", FILLED, THREE, { ...small, after: [reads("t3"), says("after the calls")] }),
  conversation("auto-twice", FILLED, [...THREE, "fourth prompt"], {
    ...small,
    after: [says("after the summary", FULL)],
  }),
  conversation(
    "auto-below-the-threshold",
    [
      says("first answer"),
      says("second answer", { usage: { input_tokens: 60_000, output_tokens: 100 } }),
      says("third answer"),
    ],
    THREE,
    small,
  ),
  conversation(
    "auto-above-the-threshold",
    [
      says("first answer"),
      says("second answer", { usage: { input_tokens: 70_000, output_tokens: 100 } }),
      says("third answer"),
    ],
    THREE,
    small,
  ),
  conversation(
    "auto-cached-tokens-count",
    [
      says("first answer"),
      says("second answer", {
        usage: {
          input_tokens: 10,
          cache_read_input_tokens: 97_000,
          cache_creation_input_tokens: 1000,
          output_tokens: 100,
        },
      }),
      says("third answer"),
    ],
    THREE,
    small,
  ),
  conversation("auto-switched-off", FILLED, THREE, {
    options: { settings: { autoCompactWindow: 100_000, autoCompactEnabled: false } },
  }),
  conversation("auto-summary-fails", FILLED, THREE, {
    ...small,
    compact: fails(403, "permission_error", "not allowed"),
  }),
  conversation("auto-summary-empty", FILLED, THREE, { ...small, compact: { content: [] } }),
  conversation(
    "auto-fails-again-and-again",
    Array.from({ length: 7 }, (_, at) => says(`answer ${at}`, at > 0 ? FULL : {})),
    ["2", "3", "4", "5", "6", "7"].map((at) => `prompt ${at}`),
    { ...small, compact: fails(403, "permission_error", "not allowed") },
  ),
  {
    ...conversation(
      "auto-after-a-smaller-model",
      [
        says("first answer"),
        says("second answer", { usage: { input_tokens: 300_000, output_tokens: 10 } }),
        says("third answer"),
      ],
      THREE,
      { options: { model: "claude-opus-5-5" } },
    ),
    during: async (query, message) => {
      if (message.type === "result" && message.result_index === 1) await query.setModel("claude-haiku-4-5")
    },
  },
  conversation(
    "auto-in-the-default-window",
    [
      says("first answer"),
      says("second answer", { usage: { input_tokens: 190_000, output_tokens: 100 } }),
      says("third answer"),
    ],
    THREE,
  ),
  conversation(
    "auto-in-a-million-tokens",
    [
      says("first answer"),
      says("second answer", { usage: { input_tokens: 190_000, output_tokens: 100 } }),
      says("third answer"),
    ],
    THREE,
    { options: { model: "claude-sonnet-4-5[1m]" } },
  ),
  {
    name: "auto-of-the-default-model",
    ...scripts("auto-of-the-default-model", [
      says("first answer"),
      says("second answer", { usage: { input_tokens: 990_000, output_tokens: 100 } }),
      says("third answer"),
    ]),
    options: { model: "claude-opus-5-5" },
    input: prompts("auto-of-the-default-model", ...THREE),
  },
  conversation(
    "refused-as-too-long",
    [says("first answer"), says("second answer"), TOO_LONG],
    [`second ${LONG}`, "third prompt"],
  ),
  conversation("refused-in-the-first-turn", [TOO_LONG], ["second prompt"]),
  conversation("refused-between-steps", [says("first answer"), reads("t1"), TOO_LONG], [`second ${LONG}`]),
  conversation(
    "refused-again",
    [says("first answer"), says("second answer"), TOO_LONG],
    [`second ${LONG}`, "third prompt"],
    { after: [TOO_LONG] },
  ),
  conversation(
    "refused-and-the-summary-too",
    [says("first answer"), says("second answer"), TOO_LONG],
    [`second ${LONG}`, "third prompt"],
    { compact: TOO_LONG },
  ),
  conversation(
    "refused-while-switched-off",
    [says("first answer"), says("second answer"), TOO_LONG],
    [`second ${LONG}`, "third prompt"],
    { options: { settings: { autoCompactEnabled: false } } },
  ),
  conversation(
    "refused-as-a-large-body",
    [says("first answer"), says("second answer"), fails(413, "request_too_large", "Request exceeds the maximum size")],
    [`second ${LONG}`, "third prompt"],
  ),
  refused("refused-document", [{ type: "text", text: "look" }, PDF], "Could not process PDF"),
  refused(
    "refused-image",
    [{ type: "text", text: "look" }, IMAGE],
    "messages.2.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
  ),
  {
    name: "auto-in-an-agent",
    ...scripts("auto-in-an-agent", [
      calls(
        call("t1", "Agent", {
          description: "help me",
          subagent_type: "helper",
          prompt: "[[script:auto-in-an-agent-sub]] sub go",
          run_in_background: false,
        }),
      ),
      says("done with it"),
    ]),
    scripts: {
      "auto-in-an-agent-sub": {
        turns: [reads("s1"), reads("s2"), reads("s3", FULL), says("sub late")],
        compact: says("<summary>SUB SUMMARY [[script:auto-in-an-agent-sub-after]]</summary>"),
      },
      "auto-in-an-agent-sub-after": [says("sub result")],
    },
    options: {
      ...SMALL_WINDOW,
      agents: { helper: { description: "Helper agent", prompt: "You are a helper.", tools: ["Bash"] } },
    },
    input: prompts("auto-in-an-agent", "second prompt"),
  },
]
