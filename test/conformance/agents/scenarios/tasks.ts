// The task list: created, changed, listed and read, by the session and by its agents, with the hooks that observe it.
import { agents, call, calls, delegate, done, helper, promptsInTurn, type Scenario, type Step } from "../scenario.ts"

const create = (label: string, subject: string, more: Readonly<Record<string, unknown>> = {}) =>
  call(label, "TaskCreate", { subject, description: `${subject} in full`, ...more })

const update = (label: string, taskId: string, change: Readonly<Record<string, unknown>>) =>
  call(label, "TaskUpdate", { taskId, ...change })

const list = (label: string) => call(label, "TaskList")

/** One call in each answer, then the end. */
const one = (name: string, blocks: ReadonlyArray<ReturnType<typeof call>>, step: Step = {}): Scenario => ({
  name,
  script: [...blocks.map((block) => calls(block)), done],
  ...step,
})

export const TASKS: ReadonlyArray<Scenario> = [
  one("task-through-its-life", [
    create("t1", "Write it", { activeForm: "Writing it" }),
    update("t2", "1", { status: "in_progress" }),
    list("t3"),
    update("t4", "1", { status: "completed" }),
    list("t5"),
  ]),
  one("task-list-empty", [list("t1")]),
  one("task-read", [create("t1", "Write it"), call("t2", "TaskGet", { taskId: "1" })]),
  one("task-read-unknown", [call("t1", "TaskGet", { taskId: "7" })]),
  one("task-update-unknown", [update("t1", "7", { status: "completed" })]),
  one("task-update-nothing", [create("t1", "Write it"), update("t2", "1", {})]),
  one("task-update-same-status", [create("t1", "Write it"), update("t2", "1", { status: "pending" })]),
  one("task-update-wrong-status", [create("t1", "Write it"), update("t2", "1", { status: "sideways" })]),
  one("task-new-texts", [
    create("t1", "Write it"),
    update("t2", "1", { subject: "Write that", description: "That in full", activeForm: "Writing that" }),
    call("t3", "TaskGet", { taskId: "1" }),
  ]),
  one("task-blocked", [
    create("t1", "First task"),
    create("t2", "Second task"),
    update("t3", "2", { addBlockedBy: ["1"] }),
    list("t4"),
    call("t5", "TaskGet", { taskId: "2" }),
    update("t6", "1", { status: "completed" }),
    list("t7"),
  ]),
  one("task-blocks", [
    create("t1", "First task"),
    create("t2", "Second task"),
    update("t3", "1", { addBlocks: ["2"] }),
    call("t4", "TaskGet", { taskId: "1" }),
  ]),
  one("task-owner-and-metadata", [
    create("t1", "Write it", { metadata: { colour: "green" } }),
    update("t2", "1", { owner: "helper", metadata: { colour: null, size: 3 } }),
    list("t3"),
  ]),
  one("task-deleted", [
    create("t1", "Write it"),
    update("t2", "1", { status: "deleted" }),
    list("t3"),
    create("t4", "Anew"),
  ]),
  one("task-without-a-subject", [call("t1", "TaskCreate", { description: "x" })]),
  one("task-denied-by-rule", [create("t1", "Write it")], { options: { disallowedTools: ["TaskCreate"] } }),
  one("task-in-plan-mode", [create("t1", "Write it"), list("t2")], { options: { permissionMode: "plan" } }),
  one("task-hook-refuses-a-task", [create("t1", "Write it"), list("t2")], {
    hooks: { TaskCreated: () => ({ decision: "block", reason: "No more tasks." }) },
  }),
  one("task-hook-stops-at-a-task", [create("t1", "Write it"), list("t2")], {
    hooks: { TaskCreated: () => ({ continue: false, stopReason: "No more tasks." }) },
  }),
  one("task-hook-refuses-an-end", [create("t1", "Write it"), update("t2", "1", { status: "completed" }), list("t3")], {
    hooks: { TaskCompleted: () => ({ decision: "block", reason: "Not yet done." }) },
  }),
  {
    name: "task-three-in-one-answer",
    script: [calls(create("t1", "One"), create("t2", "Two"), create("t3", "Three")), calls(list("t4")), done],
  },
  {
    name: "task-in-two-prompts",
    script: [calls(create("t1", "Write it")), done, calls(list("t2")), done],
    input: promptsInTurn("[[script:task-in-two-prompts]] go", "go on"),
  },
  {
    name: "task-in-a-resumed-session",
    script: [calls(create("t1", "Write it")), done, calls(list("t2")), done],
    steps: [{}, { prompt: "go on", options: (context) => ({ resume: context.previous[0]!.session }) }],
  },
]

export const TASKS_OF_AGENTS: ReadonlyArray<Scenario> = [
  {
    name: "task-of-an-agent",
    script: [calls(create("t1", "Write it")), calls(delegate("t2", "task-of-an-agent-sub")), calls(list("t3")), done],
    scripts: {
      "task-of-an-agent-sub": [
        calls(update("s1", "1", { status: "in_progress" })),
        calls(create("s2", "Another")),
        done,
      ],
    },
    options: { agents: { helper: { ...helper, tools: ["TaskCreate", "TaskUpdate", "TaskList"] } } },
  },
  {
    name: "task-tools-not-of-the-agent",
    script: [calls(delegate("t1", "task-tools-not-sub")), done],
    scripts: { "task-tools-not-sub": [calls(list("s1")), done] },
    options: { agents },
  },
]
