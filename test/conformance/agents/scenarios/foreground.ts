// Agents that their call waits for: what they send, and which tools and models they have, in sequence and nested.
import { agents, bash, call, calls, delegate, done, helper, type Scenario, says, type Step, text } from "../scenario.ts"

const reads = (label: string, cwd: string) => call(label, "Read", { file_path: `${cwd}/a.txt` })
const files = { "a.txt": "alpha\n" }

/** One agent that answers at once, with options of the scenario. */
const simple = (
  name: string,
  options: NonNullable<Step["options"]>,
  input: Readonly<Record<string, unknown>> = {},
): Scenario => ({
  name,
  script: [calls(delegate("t1", name + "-sub", input)), done],
  scripts: { [`${name}-sub`]: { turns: [says("Sub result text.")], allowNoTools: true } },
  options,
})

export const FOREGROUND: ReadonlyArray<Scenario> = [
  {
    name: "agent-two-steps",
    files,
    script: [calls(delegate("t1", "two-steps-sub")), done],
    scripts: ({ cwd }) => ({
      "two-steps-sub": [calls(reads("s1", cwd)), calls(bash("s2", "echo beta")), says("Sub result text.")],
    }),
    options: { agents },
  },
  {
    name: "agent-forwarded-text",
    files,
    script: [calls(text("Delegating."), delegate("t1", "forwarded-sub")), done],
    scripts: ({ cwd }) => ({
      "forwarded-sub": [
        calls({ type: "thinking", thinking: "Let me think.", signature: "c2ln" }, text("Reading."), reads("s1", cwd)),
        calls(text("First part."), text("Second part.")),
      ],
    }),
    options: { agents, forwardSubagentText: true },
  },
  {
    name: "agent-partial-messages",
    files,
    script: [calls(delegate("t1", "partial-sub")), done],
    scripts: ({ cwd }) => ({ "partial-sub": [calls(text("Reading."), reads("s1", cwd)), says("Sub result text.")] }),
    options: { agents, includePartialMessages: true, forwardSubagentText: true },
  },
  {
    name: "agent-two-texts-in-its-last-answer",
    script: [calls(delegate("t1", "two-texts-sub")), done],
    scripts: { "two-texts-sub": [calls(text("First part."), text("Second part."))] },
    options: { agents },
  },
  {
    name: "agent-one-after-the-other",
    script: [calls(delegate("t1", "first-sub")), calls(delegate("t2", "second-sub")), done],
    scripts: { "first-sub": [says("First result.")], "second-sub": [says("Second result.")] },
    options: { agents },
  },
  {
    name: "agent-two-beside-each-other",
    files,
    script: [calls(delegate("t1", "left-sub"), delegate("t2", "right-sub")), done],
    scripts: ({ cwd }) => ({
      "left-sub": [calls(reads("s1", cwd)), says("Left result.")],
      "right-sub": [calls(bash("s2", "echo right")), says("Right result.")],
    }),
    options: { agents },
    lanes: true,
  },
  {
    name: "agent-three-wait-for-each-other",
    script: [calls(delegate("t1", "one-sub"), delegate("t2", "two-sub"), delegate("t3", "three-sub")), done],
    scripts: {
      "one-sub": [says("One.", { hold: { gate: "three-agents", until: 3 } })],
      "two-sub": [says("Two.", { hold: { gate: "three-agents", until: 3 } })],
      "three-sub": [says("Three.", { hold: { gate: "three-agents", until: 3 } })],
    },
    options: { agents },
    lanes: true,
  },
  {
    name: "agent-beside-a-tool",
    files,
    script: ({ cwd }) => [calls(reads("t1", cwd), delegate("t2", "beside-sub")), done],
    scripts: { "beside-sub": [says("Sub result text.")] },
    options: { agents },
    lanes: true,
  },
  {
    name: "agent-nested",
    files,
    script: [calls(delegate("t1", "outer-sub", { subagent_type: "outer" })), done],
    scripts: ({ cwd }) => ({
      "outer-sub": [calls(delegate("s1", "inner-sub")), says("Outer result.")],
      "inner-sub": [calls(reads("s2", cwd)), says("Inner result.")],
    }),
    options: { agents: { helper, outer: { description: "Outer agent", prompt: "You are outer." } } },
  },
  simple("agent-general-purpose", {}, { subagent_type: "general-purpose" }),
  simple("agent-without-a-type", {}, { subagent_type: undefined }),
  simple("agent-explore", {}, { subagent_type: "Explore" }),
  simple("agent-plan", {}, { subagent_type: "Plan" }),
  simple("agent-model-of-the-call", { agents }, { model: "haiku" }),
  simple("agent-model-of-the-definition", { agents: { helper: { ...helper, model: "haiku" } } }),
  simple("agent-model-opus", { agents: { helper: { ...helper, model: "opus" } } }),
  simple("agent-model-sonnet", { model: "claude-opus-4-6", agents: { helper: { ...helper, model: "sonnet" } } }),
  simple("agent-model-of-its-family", {
    model: "claude-sonnet-4-5",
    agents: { helper: { ...helper, model: "sonnet" } },
  }),
  simple("agent-model-in-capitals", { agents: { helper: { ...helper, model: "HAIKU" } } }),
  simple("agent-model-full-name", { agents: { helper: { ...helper, model: "claude-haiku-4-5" } } }),
  simple("agent-model-inherited", { model: "claude-opus-4-6", agents: { helper: { ...helper, model: "inherit" } } }),
  simple("agent-call-beats-definition", { agents: { helper: { ...helper, model: "opus" } } }, { model: "haiku" }),
  simple("agent-with-tools", { agents: { helper: { ...helper, tools: ["Read", "Glob", "Grep"] } } }),
  simple("agent-without-tools", { agents: { helper: { ...helper, tools: [] } } }),
  simple("agent-disallowed-tools", {
    agents: { helper: { ...helper, tools: ["Read", "Bash", "Edit"], disallowedTools: ["Bash"] } },
  }),
  simple("agent-tools-of-the-session", { agents, tools: ["Agent", "Read"] }),
  simple("agent-effort", { agents: { helper: { ...helper, model: "claude-opus-4-6", effort: "low" } } }),
  simple("agent-initial-prompt", { agents: { helper: { ...helper, initialPrompt: "Begin with this." } } }),
  simple("agent-extra-field-in-the-call", { agents }, { colour: "green" }),
]
