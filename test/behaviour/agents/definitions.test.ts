// What a definition gives its agent in addition to prompt and tools: skills to start with, and texts at the end of its prompt.
import { describe, expect, it } from "vitest"
import type { AgentDefinition } from "../../../src/schemas/sdk/options/agents.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { type Files, PROJECT, projectSession } from "../../support/session/project-session.ts"
import { summaryNaming } from "../compaction/compactions.ts"
import { DONE, loop, payloadsOf } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"

const session = loop()
const { messagesSent, scripted } = session

const FILES: Files = {
  ".claude/skills/alpha/SKILL.md": "---\ndescription: First\n---\nALPHA BODY $ARGUMENTS",
  ".claude/skills/beta/SKILL.md": "---\ndescription: Second\nallowed-tools: Bash\n---\nBETA BODY",
}

/** The texts of the system prompts of these scripts' requests. */
const systemsOf = (of: (script: unknown) => boolean): ReadonlyArray<ReadonlyArray<string>> =>
  session.api.log
    .filter(({ kind, script }) => kind === "main" && of(script))
    .map(({ body }) =>
      (body as unknown as { system: ReadonlyArray<{ text: string }> }).system.map((block) => block.text),
    )

/** The helper's first conversation and system prompt, and what else the session did. */
const begun = async (definition: Partial<AgentDefinition>, options: SessionOptions = PROJECT, files: Files = FILES) => {
  const helper = { description: "Helps.", prompt: "You are a helper.", tools: ["Read"], ...definition }
  const opened = await projectSession(session, files, { ...options, agents: { helper } })
  const sub = scripted([textAnswer("Sub result.")])
  const input = { description: "d", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
  await opened.ask([{ content: [call("Agent", input)] }, DONE])
  const [first] = messagesSent(sub)
  return {
    ...opened,
    texts: (first ?? []).flatMap(({ content }) => content.map((block) => block.text ?? "")),
    system: systemsOf((script) => script === sub)[0] ?? [],
    mainSystem: systemsOf((script) => script !== sub)[0] ?? [],
    messages: first ?? [],
  }
}

describe("skills of a definition", () => {
  it("are read by the agent after its prompt, in their order, and sent to no client", async () => {
    const { events, messages, texts } = await begun({ skills: ["beta", "alpha"] })
    expect(messages).toHaveLength(1)
    expect(texts.slice(-5)).toEqual([
      expect.stringContaining("[[script:"),
      expect.stringContaining("<command-name>beta</command-name>"),
      "Base directory for this skill: /workspace/.claude/skills/beta\n\nBETA BODY",
      expect.stringContaining("<command-name>alpha</command-name>"),
      "Base directory for this skill: /workspace/.claude/skills/alpha\n\nALPHA BODY",
    ])
    expect(JSON.stringify(payloadsOf(events(), "sdk:user"))).not.toContain("BETA BODY")
  })

  it("need not be among options.skills, which limit the main thread's", async () => {
    const { texts } = await begun({ skills: ["alpha"] }, { ...PROJECT, skills: ["beta"] })
    expect(texts.at(-1)).toContain("ALPHA BODY")
  })

  it("that do not exist are reported to clients, and the agent continues without them", async () => {
    const { events, texts } = await begun({ skills: ["nope", "alpha"] })
    expect(texts.at(-1)).toContain("ALPHA BODY")
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
      { level: "warning", content: expect.stringContaining("the skill nope") },
    ])
  })

  it("are not read if the session reads nothing of the project", async () => {
    const { texts } = await begun({ skills: ["alpha"] }, { ...PROJECT, settingSources: [] })
    expect(texts.at(-1)).toContain("[[script:")
  })

  it("can also come from the frontmatter of a project's agent", async () => {
    const agent = "---\nname: filed\ndescription: Filed.\nskills: alpha, beta\n---\nFrom a file."
    const opened = await projectSession(session, { ...FILES, ".claude/agents/filed.md": agent })
    const sub = scripted([textAnswer("Sub result.")])
    const input = { description: "d", subagent_type: "filed", prompt: promptFor(sub), run_in_background: false }
    await opened.ask([{ content: [call("Agent", input)] }, DONE])
    expect(JSON.stringify(messagesSent(sub)[0])).toMatch(/ALPHA BODY.*BETA BODY/)
  })
})

describe("the end of an agent's system prompt", () => {
  it("is options.appendSubagentSystemPrompt, then the definition's reminder", async () => {
    const { system, mainSystem } = await begun(
      { criticalSystemReminder_EXPERIMENTAL: "NEVER PUSH." },
      { ...PROJECT, appendSubagentSystemPrompt: "ANSWER IN FRENCH." },
    )
    expect(system[0]).toBe("You are a helper.")
    expect(system.slice(-2)).toEqual(["ANSWER IN FRENCH.", "NEVER PUSH."])
    expect(mainSystem.join()).not.toMatch(/FRENCH|PUSH/)
  })

  it("follows the session's prompt for an agent without a prompt of its own", async () => {
    const { system } = await begun({ prompt: "" }, { ...PROJECT, appendSubagentSystemPrompt: "ANSWER IN FRENCH." })
    expect(system.length).toBeGreaterThan(1)
    expect(system.at(-1)).toBe("ANSWER IN FRENCH.")
  })
})

it("bypassPermissions of a definition is ignored, also if the session may use it", async () => {
  const helper = { description: "Helps.", prompt: "You help.", permissionMode: "bypassPermissions" as const }
  const options: SessionOptions = { allowDangerouslySkipPermissions: true, permission_prompts: "deny" }
  const opened = await projectSession(session, {}, { ...options, agents: { helper } })
  const sub = scripted([
    { content: [call("Bash", { command: "touch x", description: "d" })] },
    textAnswer("Sub result."),
  ])
  const input = { description: "d", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
  await opened.ask([{ content: [call("Agent", input)] }, DONE])
  expect(payloadsOf(opened.events(), "sdk:system/permission_denied")).toMatchObject([{ tool_name: "Bash" }])
})

it("the result of a skill that an agent calls has a tool_use_result, and its other results have not", async () => {
  const helper = { description: "Helps.", prompt: "You are a helper." }
  const opened = await projectSession(session, FILES, { ...PROJECT, agents: { helper } })
  const uses = [call("Skill", { skill: "alpha" }), call("Glob", { pattern: "*.txt" })]
  const sub = scripted([...uses.map((use) => ({ content: [use] })), textAnswer("Sub result.")])
  const input = { description: "d", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
  await opened.ask([{ content: [call("Agent", input)] }, DONE])
  const results = payloadsOf(opened.events(), "sdk:user").filter((message) =>
    uses.some(({ id }) => JSON.stringify(message["message"]).includes(id)),
  )
  expect(results).toMatchObject([
    { tool_use_result: { success: true, commandName: "alpha" } },
    { subagent_tool_result: expect.anything() },
  ])
  expect(results[0]).not.toHaveProperty("subagent_tool_result")
  expect(results[1]).not.toHaveProperty("tool_use_result")
})

it("an agent's conversation is compacted at the window of its definition, and the session's is not", async () => {
  const definition = { autoCompactWindow: 100_000 }
  const helper = { description: "Helps.", prompt: "You are a helper.", tools: ["Glob"], ...definition }
  const opened = await projectSession(session, {}, { ...PROJECT, agents: { helper } })
  const behind = scripted([textAnswer("Sub result.")])
  const lists = { content: [call("Glob", { pattern: "*.txt" })] }
  const full = { ...lists, usage: { input_tokens: 98_000, output_tokens: 100 } }
  const sub = scripted({ turns: [lists, full], compact: summaryNaming(behind) })
  const input = { description: "d", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
  await opened.ask([{ content: [call("Agent", input)] }, DONE])
  expect(JSON.stringify(messagesSent(behind)[0])).toContain("SUMMARY")
  expect(JSON.stringify(payloadsOf(opened.events(), "agent:ended"))).toContain("Sub result.")
})

it("StopFailure hooks of an agent's failed summary have an id of their own and no type", async () => {
  const helper = { description: "Helps.", prompt: "You are a helper.", tools: ["Glob"], autoCompactWindow: 100_000 }
  const opened = await projectSession(session, {}, { ...PROJECT, agents: { helper } })
  const lists = () => ({ content: [call("Glob", { pattern: "*.txt" })] })
  const full = { ...lists(), usage: { input_tokens: 98_000, output_tokens: 100 } }
  const compact = { error: { status: 400, type: "invalid_request_error", message: "prompt is too long" } }
  const sub = scripted({ turns: [lists(), full, textAnswer("Sub result.")], compact })
  const input = { description: "d", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
  await opened.ask([{ content: [call("Agent", input)] }, DONE])
  const [failure] = payloadsOf(opened.events(), "hook:fired").filter(
    ({ hook_event_name: name }) => name === "StopFailure",
  )
  expect(failure).toMatchObject({ input: { agent_id: expect.any(String) } })
  expect(failure?.input).not.toHaveProperty("agent_type")
})
