// Agents that continue after their call. Gates of the scripted API determine what ends first, so that the order is fixed.
import {
  agents,
  allow,
  bash,
  calls,
  call,
  delegate,
  done,
  helper,
  isResultOf,
  isSystem,
  promptsInTurn,
  type RunContext,
  type Scenario,
  says,
  type ScriptedTurn,
  type Step,
} from "../scenario.ts"

const behind = (label: string, script: string, extra: Readonly<Record<string, unknown>> = {}) =>
  delegate(label, script, { run_in_background: true, ...extra })

const results = new WeakMap<RunContext, number>()

/** Opens the agent's gate at the n-th result; ends the loop at the last one. */
const afterResult =
  (gates: ReadonlyArray<string>): NonNullable<Step["during"]> =>
  async (_query, message, context) => {
    if (message.type !== "result") return false
    const count = results.get(context) ?? 0
    results.set(context, count + 1)
    const gate = gates[count]
    if (gate !== undefined) await context.release(gate)
    return false
  }

/** An agent in the background that ends after the turn that started it. */
const outlives = (name: string, turns: ReadonlyArray<ScriptedTurn>, step: Step = {}, input = {}): Scenario => ({
  name,
  script: [calls(behind("t1", `${name}-sub`, input)), says("Begun."), says("Seen.")],
  scripts: { [`${name}-sub`]: turns.map((turn, index) => (index === 0 ? { ...turn, hold: {} } : turn)) },
  options: { agents },
  during: afterResult([`${name}-sub#0`]),
  lanes: true,
  ...step,
})

const malformed: ScriptedTurn = { error: { status: 400, type: "invalid_request_error", message: "something is off" } }

/** The session's answers when it sends a message to the agent that it started: known once the agent has an id. */
const continued = (to: string): ReadonlyArray<ScriptedTurn> => [
  calls(delegate("t1", "continued-sub", { name: "bob" })),
  calls(call("t2", "SendMessage", { to, summary: "go on", message: "go on with it" })),
  says("Sent."),
  says("Seen."),
]

const tasks = new WeakMap<RunContext, string>()

export const BACKGROUND: ReadonlyArray<Scenario> = [
  outlives("background-wakes-a-turn", [says("Sub result text.")]),
  outlives("background-by-default", [says("Sub result text.")], {}, { run_in_background: undefined }),
  outlives(
    "background-of-the-definition",
    [says("Sub result text.")],
    {
      options: { agents: { helper: { ...helper, background: true } } },
    },
    { run_in_background: undefined },
  ),
  outlives(
    "background-of-the-definition-against-the-call",
    [says("Sub result text.")],
    { options: { agents: { helper: { ...helper, background: true } } } },
    { run_in_background: false },
  ),
  outlives("background-with-a-tool", [calls(bash("s1", "echo inside")), says("Sub result text.")]),
  outlives("background-forwarded-text", [calls(bash("s1", "echo inside")), says("Sub result text.")], {
    options: { agents, forwardSubagentText: true },
  }),
  outlives("background-fails", [malformed]),
  outlives("background-over-the-budget", [says("Sub result text.", { usage: { input_tokens: 20_000 } })], {
    options: { agents, maxBudgetUsd: 0.01 },
  }),
  outlives("background-asks", [calls(bash("s1", "touch made")), says("Sub result text.")], { canUseTool: allow }),
  outlives("background-unattended", [calls(bash("s1", "touch made")), says("Sub result text.")]),
  outlives("background-progress-summaries", [calls(bash("s1", "echo inside")), says("Sub result text.")], {
    options: { agents, agentProgressSummaries: true },
  }),
  {
    name: "background-two",
    script: [
      calls(behind("t1", "back-one-sub"), behind("t2", "back-two-sub")),
      says("Begun."),
      says("One seen."),
      says("Two seen."),
    ],
    scripts: {
      "back-one-sub": [says("One.", { hold: {} })],
      "back-two-sub": [says("Two.", { hold: {} })],
    },
    options: { agents },
    during: afterResult(["back-one-sub#0", "back-two-sub#0"]),
    lanes: true,
  },
  {
    name: "background-ends-inside-the-turn",
    script: [calls(behind("t1", "inside-turn-sub")), { ...calls(bash("t2", "echo main")), hold: {} }, done],
    scripts: { "inside-turn-sub": [says("Sub result text.")] },
    options: { agents },
    during: async (_query, message, context) => {
      if (isSystem(message, "task_updated")) await context.release("background-ends-inside-the-turn#1")
    },
    lanes: true,
  },
  {
    name: "background-beside-the-foreground",
    script: [calls(behind("t1", "beside-back-sub"), delegate("t2", "beside-front-sub")), says("Begun."), says("Seen.")],
    scripts: {
      "beside-back-sub": [says("Back result.", { hold: {} })],
      "beside-front-sub": [says("Front result.")],
    },
    options: { agents },
    during: afterResult(["beside-back-sub#0"]),
    lanes: true,
  },
  {
    name: "background-and-the-next-prompt",
    script: [calls(behind("t1", "next-prompt-sub")), says("Begun."), says("Second."), says("Seen.")],
    scripts: { "next-prompt-sub": [says("Sub result text.", { hold: {} })] },
    options: { agents },
    input: promptsInTurn("[[script:background-and-the-next-prompt]] go", "go on"),
    during: (_query, message, context) => afterResult(["none", "next-prompt-sub#0"])(_query, message, context),
    lanes: true,
  },
  {
    name: "agent-continued-by-its-id",
    script: continued("nope"),
    scripts: { "continued-sub": [says("First result."), says("Second result.", { hold: {} })] },
    options: { agents },
    during: async (query, message, context) => {
      if (isSystem(message, "task_started") && "task_id" in message) {
        await context.set("agent-continued-by-its-id", continued(String(message.task_id)))
      }
      await afterResult(["continued-sub#1"])(query, message, context)
    },
    lanes: true,
  },
  {
    name: "agent-message-to-an-unknown-one",
    script: [calls(call("t1", "SendMessage", { to: "nope", summary: "go on", message: "go on" })), done],
  },
  {
    name: "background-moved-there-by-the-client",
    script: [calls(delegate("t1", "moved-sub")), says("Begun."), says("Seen.")],
    scripts: { "moved-sub": [says("Sub result text.", { hold: {} })] },
    options: { agents },
    during: async (query, message, context) => {
      if (isSystem(message, "task_started")) {
        await context.requested("moved-sub")
        context.note("moved", { answer: await query.backgroundTasks() })
      }
      await afterResult(["moved-sub#0"])(query, message, context)
    },
    lanes: true,
  },
  {
    name: "background-stop-of-an-unknown-task",
    script: [calls(call("t1", "TaskStop", { task_id: "nope" })), done],
  },
  {
    name: "background-output-of-an-unknown-task",
    script: [calls(call("t1", "TaskOutput", { task_id: "nope", block: false, timeout: 1000 })), done],
  },
]

/** Agents that a client stops at an undetermined moment: they are recorded, and not played. */
export const STEERED: ReadonlyArray<Scenario> = [
  {
    name: "background-interrupted",
    script: [calls(behind("t1", "interrupted-sub")), says("Never.", { hold: {} })],
    scripts: { "interrupted-sub": [says("Sub result text.", { hold: {} })] },
    options: { agents },
    input: promptsInTurn("[[script:background-interrupted]] go"),
    during: async (query, message, context) => {
      if (!isResultOf(message, "t1")) return
      await context.requested("interrupted-sub")
      await query.interrupt()
    },
    lanes: true,
  },
  {
    name: "background-stopped-by-the-client",
    script: [calls(behind("t1", "stopped-sub")), says("Begun."), says("Seen.")],
    scripts: { "stopped-sub": [says("Never.", { hold: {} })] },
    options: { agents },
    during: async (query, message, context) => {
      if (isSystem(message, "task_started") && "task_id" in message) {
        tasks.set(context, String(message.task_id))
      }
      if (!isResultOf(message, "t1")) return
      await context.requested("stopped-sub")
      await query.stopTask(tasks.get(context) ?? "")
    },
    lanes: true,
  },
]
