// Agents that can't start, or that end without an answer.
import {
  agents,
  bash,
  call,
  calls,
  delegate,
  done,
  helper,
  type Scenario,
  says,
  type ScriptedBlock,
  type ScriptedTurn,
  type Step,
} from "../scenario.ts"

const alone = (name: string, block: ScriptedBlock): Scenario => ({
  name,
  script: [calls(block), done],
  options: { agents },
})

/** One agent with these answers. */
const ending = (
  name: string,
  turns: ReadonlyArray<ScriptedTurn | ReadonlyArray<ScriptedTurn>>,
  options: NonNullable<Step["options"]> = { agents },
): Scenario => ({
  name,
  script: [calls(delegate("t1", `${name}-sub`)), done],
  scripts: { [`${name}-sub`]: turns },
  options,
})

const overloaded: ScriptedTurn = { error: { status: 529, type: "overloaded_error", message: "Overloaded" } }
const malformed: ScriptedTurn = { error: { status: 400, type: "invalid_request_error", message: "something is off" } }

export const FAILURES: ReadonlyArray<Scenario> = [
  alone("agent-unknown-type", call("t1", "Agent", { description: "help me", subagent_type: "nope", prompt: "x" })),
  alone("agent-without-a-prompt", call("t1", "Agent", { description: "help me", subagent_type: "helper" })),
  alone("agent-without-a-description", call("t1", "Agent", { prompt: "x", subagent_type: "helper" })),
  alone("agent-wrong-model", delegate("t1", "none", { model: "gpt" })),
  ending("agent-request-refused", [malformed]),
  ending("agent-overloaded-once", [[overloaded, says("Sub result text.")]]),
  ending("agent-turns-used-up", [calls(bash("s1", "echo 1")), calls(bash("s2", "echo 2")), says("Never.")], {
    agents: { helper: { ...helper, maxTurns: 2 } },
  }),
  ending("agent-tool-fails", [calls(bash("s1", "ls /nowhere-at-all")), says("Sub result text.")]),
  ending("agent-unknown-tool", [calls(call("s1", "Nothing", {})), says("Sub result text.")]),
  ending("agent-tool-it-does-not-have", [
    calls(call("s1", "Write", { file_path: "/tmp/x.txt", content: "x" })),
    says("Sub result text."),
  ]),
  ending("agent-bad-input-inside", [calls(call("s1", "Read", {})), says("Sub result text.")]),
  ending("agent-ends-without-a-text", [calls(bash("s1", "echo 1")), { content: [] }, { content: [] }]),
  ending("agent-never-answers", [{ content: [] }, { content: [] }]),
  ending("agent-answers-blank", [says(" \n")]),
  ending("agent-empty-answer", [{ content: [] }, says("Sub result text.")]),
  ending("agent-answer-cut-at-the-limit", [says("Half", { stop_reason: "max_tokens" }), says("of it.")]),
  ending("agent-fails-after-a-tool", [calls(bash("s1", "echo 1")), malformed]),
  {
    name: "agent-one-of-two-fails",
    script: [calls(delegate("t1", "fails-sub"), delegate("t2", "works-sub")), done],
    scripts: { "fails-sub": [malformed], "works-sub": [says("Works.")] },
    options: { agents },
    lanes: true,
  },
  {
    name: "agent-tool-not-there",
    script: [calls(delegate("t1", "none")), done],
    options: { agents, disallowedTools: ["Agent"] },
  },
]
