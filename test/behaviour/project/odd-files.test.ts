// Malformed files of a project: none of them fails a session, what is read of them is limited, and valid files next to them
// work.
import { describe, expect, it } from "vitest"
import { loop, payloadsOf, resultOf } from "../../support/session/loop.ts"
import { PROJECT, projectSession } from "../../support/session/project-session.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const setting = loop()

it.each(['""', "[]", "", '"**"'])(
  "rules whose paths exclude nothing (%s) are sent with the first prompt",
  async (paths) => {
    const { ask } = await projectSession(setting, { ".claude/rules/r.md": `---\npaths: ${paths}\n---\nTYPED` }, PROJECT)
    expect(JSON.stringify((await ask())[0])).toContain("TYPED")
  },
)

const GOOD = "---\ndescription: Good\n---\nBody"
/** An agent's file must have its name. */
const named = (content: string | Uint8Array, name: string): string | Uint8Array =>
  typeof content === "string" ? content.replace(/(?<=^\uFEFF?---\r?\n)/, `name: ${name}\n`) : content

const LONG = "x".repeat(1024 * 1024)

/** What a Markdown file may start with. */
const ODD: Readonly<Record<string, string | Uint8Array>> = {
  "nothing at all": "",
  "white space": " \n\t\n",
  "a byte order mark": `\uFEFF${GOOD}`,
  "lines that end as on Windows": GOOD.replaceAll("\n", "\r\n"),
  tabs: "---\n\tdescription:\tTabbed\n---\n\tBody",
  "a beginning without an end": "---\ndescription: Never ends\nBody",
  "a beginning alone": "---",
  "two beginnings": "---\n---\n---\nBody",
  "one megabyte of text": LONG,
  "one megabyte of a field": `---\ndescription: ${LONG}\n---\nBody`,
  "one megabyte of fields": `---\n${"a: b\n".repeat(200_000)}---\nBody`,
  "anchors and aliases": "---\na: &a [x, *a]\ndescription: *a\n<<: *a\n---\nBody",
  "the same field twice": "---\ndescription: One\ndescription: Two\n---\nBody",
  "values of other kinds":
    "---\ndescription: 1\nmodel: null\neffort: [low]\nagent: {a: b}\nallowed-tools: 7\nhooks:\n  a:\n    - b: c\n---\nBody",
  "names of every object": "---\n__proto__: x\nconstructor: y\ntoString: z\nhasOwnProperty: true\n---\nBody",
  "lists that go deep": `---\nallowed-tools: ${"[".repeat(5000)}${"]".repeat(5000)}\n---\nBody`,
  "quotes that do not end": "---\ndescription: \"never\nargument-hint: 'never\n---\nBody",
  "bytes that are no text": new Uint8Array([0xff, 0xfe, 0, 0x2d, 0x2d, 0x2d, 0x0a, 0xc3, 0x28]),
  "placeholders without end": `---\ndescription: d\n---\n${"$ARGUMENTS[".repeat(2000)}${"!`".repeat(2001)}`,
}

/** Runs a turn in a session with these files; returns the names that it lists. */
const listed = async (
  files: Readonly<Record<string, string | Uint8Array>>,
  links: Readonly<Record<string, string>> = {},
) => {
  const made = await projectSession(setting, {
    ".claude/commands/good.md": GOOD,
    ".claude/skills/good-skill/SKILL.md": GOOD,
  })
  for (const [name, content] of Object.entries(files)) made.workspace.writeBytes(`/workspace/${name}`, content)
  for (const [path, target] of Object.entries(links)) made.workspace.symlink(target, `/workspace/${path}`)
  await made.ask()
  expect(resultOf(made.events())).toMatchObject({ subtype: "success", result: "Done." })
  const init = payloadsOf(made.events(), "sdk:system/init").at(-1)
  const commands = (init?.["slash_commands"] ?? []) as ReadonlyArray<string>
  expect(commands).toEqual(expect.arrayContaining(["good", "good-skill"]))
  const notices = payloadsOf(made.events(), "sdk:system/informational").map(({ content }) => String(content))
  const sent = setting.api.log.filter(({ kind }) => kind === "main").at(-1)
  return { ...made, commands, notices, sentBytes: JSON.stringify(sent?.body).length }
}

describe("a file with unusual content", () => {
  it.each(Object.keys(ODD))("%s", async (name) => {
    const content = ODD[name] ?? ""
    const { sentBytes } = await listed({
      ".claude/commands/odd.md": content,
      ".claude/skills/odd/SKILL.md": content,
      ".claude/agents/odd.md": named(content, "odd"),
      ".claude/rules/odd.md": content,
      ".claude/settings.json": content,
      "CLAUDE.md": content,
    })
    expect(sentBytes).toBeLessThan(400_000)
  })

  it("can still be called, if it has a text", async () => {
    const { session, idle, events } = await listed({ ".claude/commands/odd.md": ODD["lists that go deep"] ?? "" })
    const script = setting.scripted([{ content: [{ type: "text", text: "Called." }] }])
    const { prompt } = await import("../../support/session/session-harness.ts")
    prompt(session, `/odd [[script:${script}]]`)
    await idle()
    expect(resultOf(events())).toMatchObject({ result: "Called." })
  })
})

describe("names and paths", () => {
  it("that no prompt can call are reported, and the others are commands", async () => {
    const { commands, notices } = await listed({
      ".claude/commands/a b.md": GOOD,
      ".claude/commands/x:y.md": GOOD,
      ".claude/commands/größe.md": GOOD,
      ".claude/commands/😀.md": GOOD,
      ".claude/commands/.md": GOOD,
      ".claude/commands/help.md": GOOD,
      [`.claude/commands/${"n".repeat(200)}.md`]: GOOD,
      ".claude/commands/a/b/c/d/e/f/deep.md": GOOD,
    })
    expect(commands).toEqual(expect.arrayContaining(["größe", "😀", "help"]))
    expect(commands.filter((name) => name === "help")).toHaveLength(1)
    for (const name of ["a b.md", "x:y.md", "/.md", "nnn"])
      expect(
        notices.some((notice) => notice.includes(name)),
        name,
      ).toBe(true)
    expect(commands.some((name) => name.includes("deep"))).toBe(false)
  })

  it("links that lead outside, to nothing or to themselves are left out; one inside is followed", async () => {
    const { commands, workspace, ask } = await listed(
      { "docs/real.md": "Real text." },
      {
        ".claude/commands/out.md": "/etc/passwd",
        ".claude/commands/none.md": "nowhere.md",
        ".claude/commands/self.md": "self.md",
        ".claude/commands/in.md": "../../docs/real.md",
        ".claude/commands/loop": "../commands",
        "CLAUDE.md": "/etc/passwd",
      },
    )
    workspace.writeBytes("/etc/passwd", "SECRET")
    await ask()
    expect(JSON.stringify(setting.api.log.map(({ body }) => body))).not.toContain("SECRET")
    expect(commands).toContain("in")
    expect(commands.filter((name) => ["out", "none", "self"].includes(name))).toEqual([])
  })

  it("folders where files belong, and files where folders belong, are left out", async () => {
    await listed({
      "CLAUDE.md/x": "a",
      ".claude/commands/folder.md/x": "a",
      ".claude/skills/bad/SKILL.md/x": "a",
      ".claude/skills/file": "a",
      ".claude/agents/folder.md/x": "a",
      ".claude/rules": "a",
      ".claude/settings.json/x": "a",
    })
  })
})

it("thousands of command files are limited, and those left out are reported", async () => {
  const { commands, notices } = await listed(
    Object.fromEntries(Array.from({ length: 9_900 }, (_, at) => [`.claude/commands/z/c${at}.md`, "Do it."])),
  )
  expect(commands.filter((name) => name.startsWith("z:")).length).toBeLessThan(200)
  expect(notices).toContain("The folder .claude/commands has more than 200 command files; the others are left out.")
})

it("thousands of skills, agents and rules are limited", async () => {
  const { commands, sentBytes } = await listed(
    Object.fromEntries(
      Array.from({ length: 3000 }, (_, at) => [
        [`.claude/skills/s${at}/SKILL.md`, GOOD],
        [`.claude/agents/a${at}.md`, named(GOOD, `a${at}`)],
        [`.claude/rules/r${at}.md`, "Rule."],
      ]).flat(),
    ),
  )
  expect(commands.length).toBeLessThan(500)
  expect(sentBytes).toBeLessThan(400_000)
})

it("a turn that fails because files can't be read any more has its `system/init` and one error result", async () => {
  const fail = () => {
    throw new Error("this can't be read")
  }
  const breakFiles = () => {
    // What a fault of the server would do.
    Object.assign(session.workspace, { readdir: fail, realpath: fail, stat: fail })
    return {}
  }
  const { session, idle, log } = await setting.connected({ UserPromptSubmit: [breakFiles] }, PROJECT)
  const turn = prompt(session, "read @a.txt")
  await idle()
  const all = eventsOf(log)
  expect(problemsOf(all, [turn])).toEqual([])
  expect(resultOf(all)).toMatchObject({ subtype: "error_during_execution", terminal_reason: "turn_setup_failed" })
})
