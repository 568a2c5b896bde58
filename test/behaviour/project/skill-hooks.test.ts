// Hooks in the frontmatter of skills and commands: they are called over HTTP during the turn that uses them.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { type HookServer, startHookServer } from "../../support/server/hook-server.ts"
import { DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { type Files, PROJECT, projectSession } from "../../support/session/project-session.ts"
import { call, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const session = loop()
let hooks: HookServer

beforeAll(async () => {
  hooks = await startHookServer()
})
afterEach(() => {
  hooks.deliveries.length = 0
  hooks.answer = () => ({})
})
afterAll(() => hooks.close())

const DENY = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } }
const guarded = (url = hooks.url, more = "", body = "Guarded $ARGUMENTS") => `---
description: Guarded
${more}hooks:
  PreToolUse:
    - matcher: Write
      hooks:
        - type: http
          url: ${url}/guard
          headers:
            Authorization: Bearer SECRET
---
${body}`
const skillFile = (...of: Parameters<typeof guarded>): Files => ({ ".claude/skills/one/SKILL.md": guarded(...of) })
const skill = call("Skill", { skill: "one" })
const write = (name: string) => call("Write", { file_path: `/workspace/${name}`, content: "x" })
const open = (files: Files, options: SessionOptions = PROJECT) => projectSession(session, files, options)
const refused = (events: Parameters<typeof toolResultsOf>[0]) =>
  toolResultsOf(events).map((result) => result.is_error === true)
const called = () => hooks.deliveries.map(({ input }) => [input["hook_event_name"], input["tool_name"]])
const notices = (events: Parameters<typeof payloadsOf>[0]) =>
  payloadsOf(events, "sdk:system/informational").map(({ content }) => content)

describe("hooks of a skill", () => {
  it("that the model calls apply to the rest of the turn, and to no other turn", async () => {
    hooks.answer = () => ({ body: DENY })
    const { uses, events } = await open(skillFile())
    await uses(write("a.txt"), skill, write("b.txt"))
    expect(refused(events())).toEqual([false, false, true])
    expect(called()).toEqual([["PreToolUse", "Write"]])
    expect(hooks.deliveries[0]?.headers["authorization"]).toBe("Bearer SECRET")
    expect(hooks.deliveries[0]?.headers["webhook-signature"]).toBeDefined()
    await uses(write("c.txt"))
    expect(hooks.deliveries).toHaveLength(1)
    expect(JSON.stringify(events())).not.toContain("Bearer SECRET")
    expect(notices(events())).toEqual([])
  })

  it("that a prompt calls apply to its turn", async () => {
    hooks.answer = () => ({ body: DENY })
    const { idle, events, session: core } = await open(skillFile())
    const script = session.scripted([{ content: [write("a.txt")] }, DONE])
    prompt(core, `/one [[script:${script}]]`)
    await idle()
    expect(refused(events())).toEqual([true])
    expect(called()).toHaveLength(1)
  })

  it("that a subagent calls apply to its calls", async () => {
    hooks.answer = () => ({ body: DENY })
    const { uses, events } = await open(skillFile())
    const inner = session.scripted([{ content: [skill] }, { content: [write("a.txt")] }, textAnswer("Done.")])
    const agent = call("Agent", {
      description: "Try",
      subagent_type: "general-purpose",
      prompt: `[[script:${inner}]] go`,
    })
    await uses(agent, write("b.txt"))
    expect(called()).toEqual([["PreToolUse", "Write"]])
    expect(refused(events()).at(-1)).toBe(false)
  })

  it("still apply after a restart", async () => {
    hooks.answer = () => ({ body: DENY })
    for (let after = 4, finished = false; !finished; after += 3) {
      const harness = session.harnessOf(PROJECT)
      const first = harness.boot()
      first.workspace.writeBytes("/workspace/.claude/skills/one/SKILL.md", guarded())
      const script = session.scripted([{ content: [skill] }, { content: [write("a.txt")] }, DONE])
      harness.dieAfter = harness.transactions + after
      prompt(first.session, `[[script:${script}]] go`)
      await first.idle()
      finished = harness.transactions < harness.dieAfter
      harness.crash()
      const next = harness.boot()
      await next.idle()
      expect(refused(eventsOf(next.log)), `after ${after}`).toEqual([false, true])
    }
  })

  it("need an ask when the model calls it", async () => {
    const { uses, session: core } = await open(skillFile(), { settingSources: ["project"] })
    const ended = uses(skill)
    await until(() => core.askStore.open.length === 1)
    expect(core.askStore.open[0]?.ask).toMatchObject({ tool_name: "Skill", input: { skill: "one" } })
    core.asks.answer(String(core.askStore.open[0]?.requestId), { behavior: "allow" })
    await ended
  })
})

describe("hooks of a command file", () => {
  it("apply to the turn of the command", async () => {
    hooks.answer = () => ({ body: DENY })
    const { idle, events, session: core, uses } = await open({ ".claude/commands/team/go.md": guarded() })
    const script = session.scripted([{ content: [write("a.txt")] }, DONE])
    prompt(core, `/team:go [[script:${script}]]`)
    await idle()
    await uses(write("b.txt"))
    expect(refused(events())).toEqual([true, false])
    expect(called()).toHaveLength(1)
  })
})

describe("an unsupported hook", () => {
  it("is reported once, and the skill is still used", async () => {
    const COMMAND = "---\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: ./x.sh\n---\nBody"
    const { uses, events } = await open({
      ".claude/skills/one/SKILL.md": COMMAND,
      ".claude/skills/odd/SKILL.md": "---\nhooks: |\n  x\n---\nBody",
      ".claude/skills/private/SKILL.md": guarded(hooks.url.replace("//", "//user:pass@")),
      ".claude/skills/forked/SKILL.md": guarded(hooks.url, "context: fork\n"),
      ".claude/commands/go.md": COMMAND,
    })
    await uses(skill)
    await uses(call("Skill", { skill: "private" }), write("a.txt"))
    expect(refused(events())).toEqual([false, false, false])
    const never = 'the Stop hook of type command "./x.sh" is not run: Perch starts no processes. Use the type http.'
    expect(notices(events()).toSorted()).toEqual(
      [
        `The skill one: ${never}`,
        `The command file .claude/commands/go.md: ${never}`,
        "The skill odd: `hooks` can't be parsed and is ignored.",
        "The skill forked: `hooks` are not supported when it runs as a subagent.",
        "The hooks of the skill private are left out: hooks.PreToolUse[0].hooks[0].url has a user name or a password in it. Send them in a header.",
      ].toSorted(),
    )
  })
})
