// Skills of a project: what is listed, what a call returns, what it allows, and which calls need an ask.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { call } from "../../support/session/scripts.ts"
import { type Files, PROJECT, projectSession } from "../../support/session/project-session.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { DONE, loop, payloadsOf, textOf, toolResultsOf } from "../../support/session/loop.ts"

const session = loop()

const GREET =
  "---\nname: Greeter\ndescription: Greets people\n---\nHello $ARGUMENTS, first $0, from ${CLAUDE_SKILL_DIR}."
const FILES: Files = {
  ".claude/skills/greet/SKILL.md": GREET,
  ".claude/skills/plain/SKILL.md": "# What it does\n\nJust text.",
  ".claude/skills/hidden/SKILL.md": "---\ndescription: Hidden\ndisable-model-invocation: true\n---\nSECRET STEPS",
  ".claude/skills/model-only/SKILL.md": "---\ndescription: For the model\nuser-invocable: false\n---\nInner.",
  ".claude/skills/grants/SKILL.md": "---\ndescription: Grants\nallowed-tools: Bash(rm:*)\n---\nRemove it.",
  ".claude/skills/empty/notes.md": "no skill",
}
const DEFAULT: SessionOptions = { settingSources: ["project"] }

const withFiles = (files: Files = FILES, options: SessionOptions = PROJECT) => projectSession(session, files, options)

const skill = (name: string, args?: string) => call("Skill", { skill: name, ...(args === undefined ? {} : { args }) })
const listed = (text: string) => [...text.matchAll(/^- ([\w-]+): (.*)$/gm)].map(([, name, about]) => [name, about])
const init = (events: Parameters<typeof payloadsOf>[0]) => payloadsOf(events, "sdk:system/init").at(-1) ?? {}

describe("a session's skills", () => {
  it("are listed for the model by name and description, and for clients by name if their file describes them", async () => {
    const { ask, events } = await withFiles()
    const [message] = await ask()
    expect(listed(textOf(message))).toEqual([
      ["grants", "Grants"],
      ["greet", "Greets people"],
      ["model-only", "For the model"],
      ["plain", "What it does"],
    ])
    expect(textOf(message)).not.toContain("Just text")
    expect(init(events())["skills"]).toEqual(["grants", "greet", "hidden"])
    expect(init(events())["tools"]).toContain("Skill")
  })

  it("are listed once, and again when they have changed", async () => {
    const { ask, write, events } = await withFiles()
    await ask()
    await ask()
    expect(payloadsOf(events(), "skills:listed")).toHaveLength(1)
    write({ ".claude/skills/new/SKILL.md": "---\ndescription: New one\n---\nBody" })
    expect(listed(textOf((await ask()).at(-1)))).toContainEqual(["new", "New one"])
  })

  it.each([
    [{ settingSources: ["local"] }, []],
    [{}, []],
    [{ skills: ["greet", "grants", "plain"] }, ["grants", "greet"]],
    [{ skills: "all" }, ["grants", "greet", "hidden"]],
  ] as const)("with %o are %o", async (options, expected) => {
    const { ask, events } = await withFiles(FILES, {
      permissionMode: "bypassPermissions",
      ...options,
    } as SessionOptions)
    await ask()
    expect(init(events())["skills"]).toEqual(expected)
  })

  it("that can't be used are reported once, and do not affect the others", async () => {
    const { ask, events } = await withFiles(
      {
        ".claude/skills/greet/SKILL.md": "---\ndescription: Fine\neffort: huge\nagent: helper\n{odd}\n---\nBody",
        ".claude/skills/-bad name/SKILL.md": "Body",
        ".claude/skills/blank/SKILL.md": "---\ndescription: x\n---\n",
      },
      { ...PROJECT, skills: ["greet", "none"] },
    )
    await ask()
    await ask()
    const notices = payloadsOf(events(), "sdk:system/informational").map(({ content }) => content)
    expect(notices).toEqual([
      'The skill folder "-bad name" is left out: its name is invalid.',
      "The skill blank has no text.",
      "The skill greet has a line that is not a field: {odd}.",
      "The skill greet has an unknown `effort`: the session's effort applies.",
      "The skill greet sets `agent` without `context: fork`: it runs in the conversation itself.",
      'options.skills contains "none", but the project has no such skill.',
    ])
    expect(init(events())["skills"]).toEqual(["greet"])
  })

  it.each([
    [["greet"], ["greet"]],
    [[], []],
  ])("of a source are all for people; options.skills %o selects %o for the model", async (skills, expected) => {
    const { ask, uses, events, session, idle } = await withFiles(FILES, { ...DEFAULT, skills })
    const [first] = await ask()
    expect(listed(textOf(first)).map(([name]) => name)).toEqual(expected)
    expect(init(events())["skills"]).toEqual(["grants", "greet", "hidden"])
    await uses(skill("greet"), skill("plain"))
    expect(toolResultsOf(events()).map(({ is_error: error }) => error !== true)).toEqual([expected.length > 0, false])
    prompt(session, "/plain")
    await idle()
    expect(payloadsOf(events(), "command:invoked")).toMatchObject([{ name: "plain" }])
  })

  it.each([{ tools: ["Read"] }, { disallowedTools: ["Skill"] }])("are for people alone with %o", async (options) => {
    const { ask, events } = await withFiles(FILES, { ...DEFAULT, ...options })
    expect(listed(textOf((await ask())[0]))).toEqual([])
    expect(init(events())["skills"]).toEqual(["grants", "greet", "hidden"])
  })

  it("that a deny rule hides from Read are not listed", async () => {
    const { ask, events } = await withFiles(FILES, { ...PROJECT, disallowedTools: ["Read(.claude/skills/greet/**)"] })
    await ask()
    expect(init(events())["skills"]).not.toContain("greet")
  })
})

describe("a call of a skill", () => {
  it("returns its text with its arguments and its folder, after the result", async () => {
    const { uses, events } = await withFiles()
    const messages = await uses(skill("greet", "Ann 'Bob C'"))
    const [result, text] = messages.at(-1)?.content ?? []
    expect(result).toMatchObject({ type: "tool_result", content: "Launching skill: greet" })
    expect(text?.text).toBe(
      "Base directory for this skill: /workspace/.claude/skills/greet\n\n" +
        "Hello Ann 'Bob C', first Ann, from /workspace/.claude/skills/greet.",
    )
    const users = payloadsOf(events(), "sdk:user")
    expect(users.map((user) => user["isSynthetic"])).toEqual([undefined, true])
    expect(users[0]?.["tool_use_result"]).toEqual({ success: true, commandName: "greet" })
  })

  it("returns a note while the conversation contains the same text, as recorded", async () => {
    const { uses, events, write, session, idle } = await withFiles()
    const note = expect.stringMatching(/^The skill greet was loaded above:/)
    const again = expect.stringMatching(/^The skill greet was loaded above\. /)
    const full = (who: string) => expect.stringContaining(`Hello ${who}, first ${who}, from`)
    const texts = () =>
      payloadsOf(events(), "sdk:user")
        .filter((user) => user["isSynthetic"] === true)
        .map(({ message }) => textOf(message as Parameters<typeof textOf>[0]))
    await uses(skill("greet", "Ann"), skill("plain"), skill("greet", "Ann"))
    await uses(skill("greet", "Ann"), skill("greet", "Bob"), skill("greet", "Ann"))
    const once = [
      full("Ann"),
      expect.stringContaining("Just text."),
      note,
      note,
      again,
      full("Bob"),
      again,
      full("Ann"),
    ]
    expect(texts()).toEqual(once)
    write({ ".claude/skills/greet/SKILL.md": GREET.replace("Hello", "Dear") })
    await uses(skill("greet", "Ann"))
    expect(texts().at(-1)).toContain("Dear Ann")
    prompt(session, "/clear")
    await idle()
    await uses(skill("greet", "Ann"), skill("greet", "Ann"))
    expect(texts().slice(-2)).toEqual([expect.stringContaining("Dear Ann"), note])
  })

  it.each([
    ["what it does not place", "Text.", "a b", "Text.\n\nARGUMENTS: a b"],
    ["nothing", "Text of $ARGUMENTS.", "", "Text of ."],
    ["by number", "$1 then $ARGUMENTS[0] and $7|$ARGUMENTS[9]|\\$0", 'x "y z"', "y z then x and $7|$ARGUMENTS[9]|$0"],
    ["by name", "---\narguments: name city\n---\n$name of $city; $cityx", "Ann", "Ann of ; $cityx"],
  ])("gets arguments: %s", async (_name, body, args, expected) => {
    const { uses } = await withFiles({ ".claude/skills/one/SKILL.md": body })
    expect(textOf((await uses(skill("one", args))).at(-1))).toContain(`/skills/one\n\n${expected}`)
  })

  it("may have the name with a slash; rules compare the name", async () => {
    const { uses, events } = await withFiles(FILES, { ...PROJECT, disallowedTools: ["Skill(plain)"] })
    await uses(skill("/greet"), skill("/plain"))
    const [greet, plain] = toolResultsOf(events())
    expect(greet?.content).toBe("Launching skill: greet")
    expect(plain?.is_error).toBe(true)
  })

  it.each(["$ARGUMENTS ", "$0 ", "!`echo $0` "])(
    "is rejected when many %j make the text longer than a prompt",
    async (named) => {
      const { uses, events } = await withFiles({ ".claude/skills/one/SKILL.md": named.repeat(8_000) })
      await uses(skill("one", "a".repeat(100_000)))
      expect(toolResultsOf(events())[0]?.content).toContain("longer than 2000000 characters")
    },
  )

  it("of an unknown one lists the known ones; of one that only people can call it says so", async () => {
    const { uses, events } = await withFiles()
    await uses(skill("nope"), skill("hidden"), skill("Greeter"))
    const texts = toolResultsOf(events()).map(({ content }) => content)
    expect(texts).toEqual([
      "<tool_use_error>Unknown skill: nope. Known skills: grants, greet, model-only, plain</tool_use_error>",
      expect.stringContaining("Ask the user to send /hidden"),
      expect.stringContaining("Unknown skill: Greeter"),
    ])
    expect(JSON.stringify(events())).not.toContain("SECRET STEPS")
  })
})

describe("permission for a skill", () => {
  it("is asked for if it denies tools; its rules apply to the rest of the turn", async () => {
    const denies = {
      ".claude/skills/strict/SKILL.md": "---\ndescription: Strict\ndisallowed-tools: Bash(rm:*), Write\n---\nLook.",
      ".claude/skills/camel/SKILL.md": "---\ndescription: Strict\ndisallowedTools: [Bash]\n---\nLook.",
      "a.txt": "a",
    }
    const asked = await withFiles(denies, { ...DEFAULT, permission_prompts: "deny" })
    await asked.uses(skill("strict"))
    expect(toolResultsOf(asked.events())[0]?.is_error).toBe(true)
    const remove = call("Bash", { command: "rm a.txt", description: "d" })
    const list = call("Bash", { command: "ls", description: "d" })
    const write = call("Write", { file_path: "/workspace/b.txt", content: "b" })
    const { uses, events } = await withFiles(denies, PROJECT)
    await uses(skill("strict"), remove, list, write)
    await uses(remove)
    await uses(skill("camel"), list)
    const failed = toolResultsOf(events()).map(({ is_error: error }) => error === true)
    expect(failed).toEqual([false, true, false, true, false, false, true])
  })

  it("is not needed if it allows nothing", async () => {
    const { uses, events } = await withFiles(FILES, DEFAULT)
    await uses(skill("plain"))
    expect(toolResultsOf(events())[0]?.content).toBe("Launching skill: plain")
    expect(payloadsOf(events(), "ask:opened")).toEqual([])
  })

  it("is asked for if it allows tools, with its description and rules for that skill", async () => {
    const { uses, events, session: core, stopTurn } = await withFiles(FILES, DEFAULT)
    const ended = uses(skill("grants"))
    await expect.poll(() => core.askStore.open.length).toBe(1)
    expect(core.askStore.open[0]?.ask.description).toBe("Grants")
    expect(core.askStore.open[0]?.ask.suggestions).toEqual(
      ["grants", "grants:*"].map((ruleContent) => ({
        type: "addRules",
        rules: [{ toolName: "Skill", ruleContent }],
        behavior: "allow",
        destination: "localSettings",
      })),
    )
    expect(payloadsOf(events(), "sdk:user")).toEqual([])
    await stopTurn()
    await ended
  })

  it("applies only to the rest of the turn; deny rules still apply", async () => {
    const options = { ...DEFAULT, allowedTools: ["Skill(grants)"], permission_prompts: "deny" } as const
    const remove = call("Bash", { command: "rm a.txt", description: "d" })
    const { uses, events, write } = await withFiles({ ...FILES, "a.txt": "a" }, options)
    await uses(remove, skill("grants"), remove)
    write({ "a.txt": "again" })
    await uses(remove)
    expect(toolResultsOf(events()).map(({ is_error: error }) => error === true)).toEqual([true, false, false, true])
    const denied = await withFiles({ ...FILES, "a.txt": "a" }, { ...options, disallowedTools: ["Bash(rm:*)"] })
    await denied.uses(skill("grants"), remove)
    expect(toolResultsOf(denied.events())[1]?.is_error).toBe(true)
  })

  it.each([["Skill"], ["Skill(plain)"], ["Skill(plain:*)"]])("is denied by the rule %s", async (rule) => {
    const { ask, events } = await withFiles(FILES, { ...PROJECT, settings: { permissions: { deny: [rule] } } })
    await ask([{ content: [skill("plain")] }, DONE])
    expect(toolResultsOf(events())[0]?.is_error).toBe(true)
  })
})

describe("a prompt that starts with a skill's name", () => {
  it("is the skill's text, and the skill is listed as a command", async () => {
    const { session: core, idle, events } = await withFiles()
    prompt(core, "/greet Ann Bob")
    await idle()
    expect(init(events())["slash_commands"]).toEqual(expect.arrayContaining(["greet", "hidden", "plain"]))
    expect(init(events())["slash_commands"]).not.toContain("model-only")
    const sent = session.api.log.filter(({ kind }) => kind === "main").at(-1)
    expect(JSON.stringify(sent?.body)).toContain("Hello Ann Bob, first Ann, from /workspace/.claude/skills/greet.")
  })
})
