// What definitions give their agents in addition to prompt and tools: skills, servers, texts.
import { agents, bash, call, calls, delegate, done, helper, type Scenario, says, type Step } from "../scenario.ts"

const skill = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: The skill ${name}\n---\n\n${body}\n`

const FILES = {
  ".claude/skills/alpha/SKILL.md": skill("alpha", "ALPHA BODY"),
  ".claude/skills/beta/SKILL.md": skill("beta", "BETA BODY"),
}

const PROJECT: Step["options"] = { settingSources: ["project"] }

/** An agent of this definition that answers at once. */
const defined = (name: string, definition: object, options: object = {}, more: Partial<Scenario> = {}): Scenario => ({
  name,
  files: FILES,
  script: [calls(delegate("t1", `${name}-sub`)), done],
  scripts: { [`${name}-sub`]: [says("Sub result.")] },
  options: { agents: { helper: { ...helper, ...definition } }, ...PROJECT, ...options },
  ...more,
})

export const DEFINITIONS: ReadonlyArray<Scenario> = [
  defined("agent-skill", { skills: ["alpha"] }),
  defined("agent-skills-two", { skills: ["alpha", "beta"] }),
  defined("agent-skills-in-another-order", { skills: ["beta", "alpha"] }),
  defined("agent-skill-unknown", { skills: ["nope", "alpha"] }),
  defined("agent-skill-without-sources", { skills: ["alpha"] }, { settingSources: [] }),
  defined("agent-skill-beside-those-of-the-session", { skills: ["alpha"] }, { skills: ["beta"] }),
  defined(
    "agent-skill-and-a-tool",
    { skills: ["alpha"] },
    {},
    {
      scripts: { "agent-skill-and-a-tool-sub": [calls(bash("s1", "echo inside")), says("Sub result.")] },
    },
  ),
  defined(
    "agent-skill-of-a-file",
    {},
    { agents: {} },
    {
      files: {
        ...FILES,
        ".claude/agents/helper.md":
          "---\nname: helper\ndescription: Helper agent\ntools: Read, Bash\nskills: alpha\n---\n\nYou are a helper.\n",
      },
    },
  ),
  defined(
    "agent-of-a-file-without-a-name",
    {},
    { agents: {} },
    { files: { ".claude/agents/helper.md": "---\ndescription: Helper agent\n---\n\nYou are a helper.\n" } },
  ),
  defined(
    "agent-skill-in-the-background",
    { skills: ["alpha"] },
    {},
    {
      script: [
        calls(delegate("t1", "agent-skill-in-the-background-sub", { run_in_background: true })),
        says("Begun."),
        says("Seen."),
      ],
      scripts: { "agent-skill-in-the-background-sub": [says("Sub result.", { hold: {} })] },
      during: async (_query, message, context) => {
        if (message.type === "result") await context.release("agent-skill-in-the-background-sub#0")
      },
      lanes: true,
    },
  ),
  defined("agent-reminder", { criticalSystemReminder_EXPERIMENTAL: "NEVER PUSH." }),
  defined("agent-server-that-the-session-has-not", { mcpServers: ["nope"] }),
  defined("agent-server-of-its-own-unreachable", {
    mcpServers: [{ own: { type: "http", url: "http://127.0.0.1:9/mcp" } }],
  }),
  defined("agent-progress-summaries-of-a-short-run", {}, { agentProgressSummaries: true }),
]

const BYPASS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true } as const

const message = (label: string, more: object = {}) =>
  call(label, "SendMessage", { to: "bob", summary: "go on", message: "also do this", ...more })

/** Moves calls to the background once the agent's model request was made. */
const moves =
  (script: string, id: string | undefined): NonNullable<Step["during"]> =>
  async (query, given, context) => {
    if (given.type === "assistant" && given.parent_tool_use_id === null && context.previous.length === 0) {
      const [block] = given.message.content
      if (block?.type === "tool_use") {
        await context.requested(script)
        context.note("moved", { answer: await query.backgroundTasks(id) })
      }
    }
    if (given.type === "result") await context.release(`${script}#0`)
  }

export const MESSAGES: ReadonlyArray<Scenario> = [
  {
    name: "message-by-its-name",
    script: [calls(delegate("t1", "by-name-sub", { name: "bob" })), calls(message("t2")), says("Sent."), says("Seen.")],
    scripts: { "by-name-sub": [says("First result."), says("Second result.", { hold: {} })] },
    options: { agents },
    during: async (_query, given, context) => {
      if (given.type === "result") await context.release("by-name-sub#1")
    },
    lanes: true,
  },
  {
    name: "message-without-a-summary",
    script: [calls(message("t1", { to: "nope", summary: undefined })), done],
  },
  {
    name: "message-to-a-running-agent",
    script: [
      calls(delegate("t1", "running-sub", { name: "bob", run_in_background: true })),
      calls(message("t2")),
      says("Sent."),
      says("Seen."),
    ],
    scripts: { "running-sub": [{ ...calls(bash("s1", "echo inside")), hold: {} }, says("Sub result.")] },
    options: { agents, ...BYPASS },
    during: async (_query, given, context) => {
      if (given.type === "result") await context.release("running-sub#0")
    },
    lanes: true,
  },
  {
    name: "message-that-a-hook-denies",
    script: [calls(delegate("t1", "denied-sub", { name: "bob" })), calls(message("t2")), done],
    scripts: { "denied-sub": [says("First result.")] },
    options: { agents },
    hooks: {
      PreToolUse: (input) =>
        "tool_name" in input && input.tool_name === "SendMessage"
          ? {
              hookSpecificOutput: {
                hookEventName: "PreToolUse",
                permissionDecision: "deny",
                permissionDecisionReason: "not now",
              },
            }
          : {},
    },
  },
  {
    name: "message-tool-disallowed",
    script: [calls(message("t1")), done],
    options: { disallowedTools: ["SendMessage"] },
  },
]

export const MOVED: ReadonlyArray<Scenario> = [
  {
    name: "moved-by-its-call",
    script: [calls(delegate("t1", "moved-one-sub")), says("Begun."), says("Seen.")],
    scripts: { "moved-one-sub": [says("Sub result.", { hold: {} })] },
    options: { agents },
    during: moves("moved-one-sub", "toolu_t1"),
    lanes: true,
  },
  {
    name: "moved-and-then-a-tool",
    script: [calls(delegate("t1", "moved-tool-sub")), says("Begun."), says("Seen.")],
    scripts: { "moved-tool-sub": [{ ...calls(bash("s1", "echo inside")), hold: {} }, says("Sub result.")] },
    options: { agents, ...BYPASS },
    during: moves("moved-tool-sub", "toolu_t1"),
    lanes: true,
  },
  {
    name: "moved-one-that-there-is-not",
    script: [says("Done.")],
    during: async (query, given, context) => {
      if (given.type === "assistant") context.note("moved", { answer: await query.backgroundTasks("toolu_nope") })
    },
  },
  {
    name: "moved-none",
    script: [says("Done.")],
    during: async (query, given, context) => {
      if (given.type === "assistant") context.note("moved", { answer: await query.backgroundTasks() })
    },
  },
]
