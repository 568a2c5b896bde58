// Skills that do more than return a text: scripts in it, an effort or a model of their own, and a subagent that executes it.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { DONE, loop, payloadsOf, resultOf, textOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { type Files, PROJECT, projectSession } from "../../support/session/project-session.ts"
import { call, text } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const session = loop()

const REPORT = { content: [text("The report.")] }
const ASKING: SessionOptions = { settingSources: ["project"] }
const withFiles = (files: Files, options: SessionOptions = PROJECT) => projectSession(session, files, options)
const one = (text: string): Files => ({ ".claude/skills/one/SKILL.md": text })
const skill = (args?: string) => call("Skill", { skill: "one", ...(args === undefined ? {} : { args }) })
const sentTo = (script: string) => session.api.log.filter((entry) => entry.script === script).map(({ body }) => body)
const bodyOf = (text: string) => text.split("/skills/one\n\n")[1]

describe("scripts in a skill's text", () => {
  it("run when the model calls it, and their outputs are in the text", async () => {
    const body = "Now: !`echo a $0` and no!`echo b`\n```!\necho c\necho d\n```\nEnd"
    const { uses, events } = await withFiles(one(body))
    expect(bodyOf(textOf((await uses(skill("x"))).at(-1)))).toBe("Now: a x and no!`echo b`\nc\nd\nEnd")
    // Scripts that only read run in parallel.
    const ran = payloadsOf(events(), "command:ran").map(({ command }) => command)
    expect(ran.toSorted()).toEqual(["echo a x", "echo c\necho d"])
    expect(toolResultsOf(events())).toHaveLength(1)
  })

  it("run when a prompt calls it", async () => {
    const { idle, session: core } = await withFiles(one("Now: !`echo printed` $ARGUMENTS"))
    const script = session.scripted([DONE])
    prompt(core, `/one [[script:${script}]]`)
    await idle()
    expect(JSON.stringify(sentTo(script)[0])).toContain("Now: printed [[script:")
  })

  it("are asked about like Bash, and a denial leaves its error in the text", async () => {
    const { uses, session: core, events } = await withFiles(one("Now: !`touch made`"), ASKING)
    const ended = uses(skill())
    await until(() => core.askStore.open.length === 1)
    const [ask] = core.askStore.open
    expect(ask?.ask).toMatchObject({ tool_name: "Bash", input: { command: "touch made" } })
    core.asks.answer(String(ask?.requestId), { behavior: "deny", message: "not now" })
    expect(textOf((await ended).at(-1))).toMatch(/Now: Error: .*not now/s)
    expect(resultOf(events())["permission_denials"]).toEqual([
      expect.objectContaining({ tool_name: "Bash", tool_input: { command: "touch made" } }),
    ])
  })

  it("are refused by a PreSkillShellCommand hook, and the call goes on", async () => {
    const hooks = { PreSkillShellCommand: { decision: "block", reason: "no shell" } }
    const { uses, workspace, events } = await projectSession(session, one("Now: !`touch made`"), PROJECT, hooks)
    expect(bodyOf(textOf((await uses(skill())).at(-1)))).toBe("Now: Error: a hook refused this script: no shell")
    expect(workspace.exists("/workspace/made")).toBe(false)
    const fired = payloadsOf(events(), "hook:fired").map(({ input }) => input)
    expect(fired).toContainEqual(
      expect.objectContaining({
        hook_event_name: "PreSkillShellCommand",
        command_name: "one",
        command_source: "projectSettings",
        invoked_by: "claude",
      }),
    )
  })

  it("run under the rules that the skill allows, once its call is allowed", async () => {
    const files = one("---\nallowed-tools: Bash(touch:*)\n---\nNow: !`touch made`")
    const { uses, workspace, session: core } = await withFiles(files, { ...ASKING, allowedTools: ["Skill(one)"] })
    await uses(skill())
    expect(core.askStore.open).toEqual([])
    expect(workspace.exists("/workspace/made")).toBe(true)
  })

  it("run once, whatever transaction the process dies after", async () => {
    for (let after = 2, finished = false; !finished; after += 1) {
      const harness = session.harnessOf(PROJECT)
      const first = harness.boot()
      first.workspace.writeBytes("/workspace/.claude/skills/one/SKILL.md", "Now: !`echo x >> made; cat made`")
      const script = session.scripted([{ content: [skill()] }, DONE])
      harness.dieAfter = harness.transactions + after
      const turn = prompt(first.session, `[[script:${script}]] go`)
      await first.idle()
      finished = harness.transactions < harness.dieAfter
      harness.crash()
      const next = harness.boot()
      await next.idle()
      expect(problemsOf(eventsOf(next.log), [turn]), `after ${after}`).toEqual([])
      expect(next.workspace.readText("/workspace/made"), `after ${after}`).toBe("x\n")
    }
  })
})

describe("a skill's effort and model", () => {
  const FILES = one("---\nmodel: haiku\neffort: low\n---\nBody [[script:$0]] ${CLAUDE_EFFORT}")
  const OPUS: SessionOptions = { ...PROJECT, model: "claude-opus-4-6", effort: "high" }
  const efforts = (bodies: ReadonlyArray<unknown>) =>
    bodies.map((body) => {
      const { model, output_config: config } = body as { model: string; output_config?: { effort?: string } }
      return [model, config?.effort]
    })

  it("called by the model, it changes the effort for the rest of the turn", async () => {
    const { ask, events } = await withFiles(FILES, OPUS)
    const before = session.api.log.length
    await ask([{ content: [skill("none")] }, DONE])
    await ask()
    expect(efforts(session.api.log.slice(before).map(({ body }) => body))).toEqual([
      ["claude-opus-4-6", "high"],
      ["claude-opus-4-6", "low"],
      ["claude-opus-4-6", "high"],
    ])
    expect(payloadsOf(events(), "sdk:user")[0]?.["tool_use_result"]).toMatchObject({
      model: expect.stringContaining("haiku"),
    })
  })

  it("called by a prompt, both apply to the turn", async () => {
    const { session: core, idle } = await withFiles(FILES, OPUS)
    const script = session.scripted([DONE])
    prompt(core, `/one ${script}`)
    await idle()
    expect(efforts(sentTo(script))).toEqual([[expect.stringContaining("haiku"), "low"]])
    expect(JSON.stringify(sentTo(script))).toContain(`[[script:${script}]] low`)
  })
})

describe("a skill with context: fork", () => {
  const AGENTS = { helper: { description: "Helps.", prompt: "You are a helper." } }
  const FORK = "---\ncontext: fork\nagent: helper\nmodel: haiku\nallowed-tools: Bash(touch:*)\n---\n[[script:$0]] do it"
  const touch = call("Bash", { command: "touch made", description: "d" })

  it("runs as that agent with what it allows, and the report is the result", async () => {
    const { uses, events, workspace } = await withFiles(one(FORK), {
      ...ASKING,
      agents: AGENTS,
      allowedTools: ["Skill(one)"],
      permission_prompts: "deny",
    })
    const sub = session.scripted([{ content: [touch] }, REPORT])
    await uses(skill(sub), touch)
    const [ran, denied] = toolResultsOf(events()).filter(({ tool_use_id: id }) => id !== touch.id)
    expect(ran?.content).toBe('Skill "one" completed (forked execution).\n\nResult:\nThe report.')
    expect(workspace.exists("/workspace/made")).toBe(true)
    expect(denied).toBeUndefined()
    expect(payloadsOf(events(), "sdk:system/permission_denied")).toHaveLength(1)
    expect(payloadsOf(events(), "sdk:system/task_progress")).toEqual([])
    expect(sentTo(sub).map(({ model }) => String(model))).toEqual([1, 2].map(() => expect.stringContaining("haiku")))
    expect(payloadsOf(events(), "agent:started")).toEqual([
      expect.objectContaining({ agent_type: "helper", description: "/one", fork: "call" }),
    ])
  })

  it("denies what its rules deny inside the agent, and leaves the tool", async () => {
    const body = "---\ncontext: fork\nagent: helper\ndisallowed-tools: Bash(rm:*)\n---\n[[script:$0]]"
    const { uses, workspace } = await withFiles({ ...one(body), kept: "x" }, { ...PROJECT, agents: AGENTS })
    const sub = session.scripted([
      { content: [call("Bash", { command: "rm kept", description: "d" })] },
      { content: [touch] },
      REPORT,
    ])
    await uses(skill(sub))
    expect(["kept", "made"].map((name) => workspace.exists(`/workspace/${name}`))).toEqual([true, true])
  })

  it("called by a prompt, the report is the turn's result", async () => {
    const { session: core, idle, events } = await withFiles(one(FORK), { ...PROJECT, agents: AGENTS })
    const sub = session.scripted([REPORT])
    prompt(core, `/one ${sub}`)
    await idle()
    expect(resultOf(events())).toMatchObject({ result: "The report.", local_command: "custom" })
    expect(payloadsOf(events(), "agent:started")).toEqual([expect.objectContaining({ fork: "prompt" })])
  })

  it("with an unknown agent, the call is an error that lists the known ones", async () => {
    const { uses, events } = await withFiles(one("---\ncontext: fork\nagent: none\n---\nBody"))
    await uses(skill())
    expect(toolResultsOf(events())[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining("general-purpose"),
    })
  })
})
