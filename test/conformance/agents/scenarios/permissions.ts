// Permissions of agents: asks from inside, rules, modes, and who may call an agent at all.
import {
  agents,
  allow,
  bash,
  call,
  calls,
  delegate,
  deny,
  done,
  helper,
  type Scenario,
  says,
  type Step,
} from "../scenario.ts"

/** One agent that runs `touch`, which needs an ask. */
const touches = (name: string, step: Step): Scenario => ({
  name,
  script: [calls(delegate("t1", `${name}-sub`)), done],
  scripts: { [`${name}-sub`]: [calls(bash("s1", "touch made")), says("Sub result text.")] },
  options: { agents },
  ...step,
})

/** One agent that writes a file. */
const writes = (name: string, options: NonNullable<Step["options"]>, step: Step = {}): Scenario => ({
  name,
  script: [calls(delegate("t1", `${name}-sub`)), done],
  scripts: ({ cwd }) => ({
    [`${name}-sub`]: [
      calls(call("s1", "Write", { file_path: `${cwd}/made.txt`, content: "made" })),
      says("Sub result text."),
    ],
  }),
  options,
  ...step,
})

const writer = { ...helper, tools: ["Write", "Bash"] }

export const PERMISSIONS: ReadonlyArray<Scenario> = [
  touches("agent-asks-allowed", { canUseTool: allow }),
  touches("agent-asks-denied", { canUseTool: deny("Not here.") }),
  touches("agent-asks-denied-and-interrupted", { canUseTool: deny("Stop it all.", true) }),
  touches("agent-asks-changed-input", {
    canUseTool: async (_name, input) => ({ behavior: "allow", updatedInput: { ...input, command: "echo changed" } }),
  }),
  touches("agent-asks-always-allowed", {
    canUseTool: async (_name, input, { suggestions = [] }) => ({
      behavior: "allow",
      updatedInput: input,
      updatedPermissions: suggestions.filter(({ type }) => type === "setMode"),
    }),
  }),
  touches("agent-unattended", {}),
  touches("agent-allowed-by-rule", { options: { agents, allowedTools: ["Bash(touch:*)"] } }),
  touches("agent-denied-by-rule", { options: { agents, disallowedTools: ["Bash(touch:*)"] } }),
  touches("agent-tool-disallowed-for-all", { options: { agents, disallowedTools: ["Bash"] } }),
  touches("agent-dont-ask", { options: { agents, permissionMode: "dontAsk" } }),
  touches("agent-bypass", {
    options: { agents, permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true },
  }),
  writes("agent-accept-edits", { agents: { helper: writer }, permissionMode: "acceptEdits" }),
  writes("agent-accept-edits-of-its-own", { agents: { helper: { ...writer, permissionMode: "acceptEdits" } } }),
  writes(
    "agent-dont-ask-of-its-own",
    { agents: { helper: { ...writer, permissionMode: "dontAsk" } } },
    { canUseTool: allow },
  ),
  writes("agent-plan-of-its-own", { agents: { helper: { ...writer, permissionMode: "plan" } } }, { canUseTool: allow }),
  writes(
    "agent-accept-edits-in-plan-mode",
    { agents: { helper: { ...writer, permissionMode: "acceptEdits" } }, permissionMode: "plan" },
    { canUseTool: allow },
  ),
  writes(
    "agent-auto-in-dont-ask",
    { agents: { helper: { ...writer, permissionMode: "auto" } }, permissionMode: "dontAsk" },
    { canUseTool: allow },
  ),
  writes("agent-in-plan-mode", { agents: { helper: writer }, permissionMode: "plan" }, { canUseTool: allow }),
  {
    name: "agent-call-denied-by-rule",
    script: [calls(delegate("t1", "none")), done],
    options: { agents, disallowedTools: ["Agent(helper)"] },
  },
  {
    name: "agent-two-ask",
    script: [calls(delegate("t1", "ask-left-sub"), delegate("t2", "ask-right-sub")), done],
    scripts: {
      "ask-left-sub": [calls(bash("s1", "touch left")), says("Left result.")],
      "ask-right-sub": [calls(bash("s2", "touch right")), says("Right result.")],
    },
    options: { agents },
    canUseTool: async (_name, input) =>
      input["command"] === "touch left"
        ? { behavior: "allow", updatedInput: input }
        : { behavior: "deny", message: "Only left." },
    lanes: true,
  },
]
