// The session's influence on its agents: limits, structured output, options, costs, interrupts, resumed sessions.
import {
  agents,
  bash,
  call,
  calls,
  delegate,
  done,
  helper,
  isSystem,
  promptsInTurn,
  type Scenario,
  says,
  type Step,
} from "../scenario.ts"

const answerFormat = {
  type: "json_schema",
  schema: {
    type: "object",
    properties: { answer: { type: "number" } },
    required: ["answer"],
    additionalProperties: false,
  },
} as const

const one = (name: string, step: Step, usage: Readonly<Record<string, number>> = {}): Scenario => ({
  name,
  script: [calls(delegate("t1", `${name}-sub`)), done],
  scripts: { [`${name}-sub`]: [{ ...calls(bash("s1", "echo inside")), usage }, says("Sub result text.", { usage })] },
  options: { agents },
  ...step,
})

const reviewer = { description: "Reviews.", prompt: "You review.", tools: ["Read", "Bash"] }

export const SESSIONS: ReadonlyArray<Scenario> = [
  one(
    "agent-cost-of-two-models",
    { options: { agents: { helper: { ...helper, model: "haiku" } } } },
    { input_tokens: 4000 },
  ),
  one("agent-cached-tokens", {}, { cache_read_input_tokens: 5000, cache_creation_input_tokens: 300 }),
  one("agent-over-the-budget", { options: { agents, maxBudgetUsd: 0.01 } }, { input_tokens: 20_000 }),
  one("agent-turns-of-the-session", { options: { agents, maxTurns: 1 } }),
  one("agent-system-prompt-of-the-session", { options: { agents, systemPrompt: "You are the session." } }),
  {
    name: "agent-structured-output",
    script: [calls(delegate("t1", "structured-sub")), calls(call("t2", "StructuredOutput", { answer: 42 }))],
    scripts: { "structured-sub": [says("Sub result text.")] },
    options: { agents, outputFormat: answerFormat },
  },
  {
    name: "agent-names-in-init",
    script: [done],
    options: { agents: { reviewer, helper } },
    during: async (query, message, context) => {
      if (isSystem(message, "init") && "agents" in message) {
        const listed = await query.supportedAgents()
        context.note("agents", {
          init: ["helper", "reviewer"].filter((name) => message.agents?.includes(name)),
          listed: listed
            .filter(({ name }) => ["helper", "reviewer"].includes(name))
            .map(({ name, description, model }) => ({ name, description, model })),
        })
      }
    },
  },
  {
    name: "agent-in-two-prompts",
    script: [
      calls(delegate("t1", "in-first-sub")),
      says("First."),
      calls(delegate("t2", "in-second-sub")),
      says("Second."),
    ],
    scripts: { "in-first-sub": [says("First result.")], "in-second-sub": [says("Second result.")] },
    options: { agents },
    input: promptsInTurn("[[script:agent-in-two-prompts]] go", "go on"),
  },
  {
    name: "agent-in-a-resumed-session",
    script: [
      calls(delegate("t1", "resumed-first-sub")),
      says("First."),
      calls(delegate("t2", "resumed-second-sub")),
      says("Second."),
    ],
    scripts: { "resumed-first-sub": [says("First result.")], "resumed-second-sub": [says("Second result.")] },
    steps: [
      { options: { agents } },
      { prompt: "go on", options: (context) => ({ agents, resume: context.previous[0]!.session }) },
    ],
  },
  {
    name: "agent-in-a-forked-session",
    script: [calls(delegate("t1", "forked-sub")), says("First."), says("Second.")],
    scripts: { "forked-sub": [says("First result.")] },
    steps: [
      { options: { agents } },
      { prompt: "go on", options: (context) => ({ agents, resume: context.previous[0]!.session, forkSession: true }) },
    ],
  },
  {
    name: "agent-interrupted-while-it-thinks",
    script: [calls(delegate("t1", "thinks-sub")), done],
    scripts: { "thinks-sub": [calls(bash("s1", "echo 1")), says("Never.", { hold: {} })] },
    options: { agents },
    input: promptsInTurn("[[script:agent-interrupted-while-it-thinks]] go"),
    during: async (query, message, context) => {
      if (!isSystem(message, "task_started")) return
      await context.requested("thinks-sub", 2)
      await query.interrupt()
    },
  },
  {
    name: "agent-interrupted-in-a-tool",
    script: [calls(delegate("t1", "in-a-tool-sub")), done],
    scripts: { "in-a-tool-sub": [calls(bash("s1", "sleep 20")), says("Never.")] },
    options: { agents },
    input: promptsInTurn("[[script:agent-interrupted-in-a-tool]] go"),
    during: async (query, message, context) => {
      if (message.type !== "assistant" || message.parent_tool_use_id === null) return
      await context.called("s1")
      await query.interrupt()
    },
  },
  {
    name: "agent-then-the-next-prompt-after-an-interrupt",
    script: [calls(delegate("t1", "next-sub")), says("Second.")],
    scripts: { "next-sub": [says("Never.", { hold: {} })] },
    options: { agents },
    input: promptsInTurn("[[script:agent-then-the-next-prompt-after-an-interrupt]] go", "go on"),
    during: async (query, message, context) => {
      if (!isSystem(message, "task_started")) return
      await context.requested("next-sub")
      await query.interrupt()
    },
  },
]

/** Sessions whose main thread runs as one of their agents. */
export const OF_AGENTS: ReadonlyArray<Scenario> = [
  {
    name: "agent-of-the-session",
    script: [calls(bash("t1", "echo main")), done],
    options: { agents: { reviewer }, agent: "reviewer" },
  },
  {
    name: "agent-of-the-session-with-a-model",
    script: [done],
    options: { agents: { reviewer: { ...reviewer, model: "haiku" } }, agent: "reviewer" },
  },
  {
    name: "agent-of-the-session-unknown",
    script: [done],
    options: { agents: { reviewer }, agent: "nope" },
  },
]
