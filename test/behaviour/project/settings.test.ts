// Settings files of a project: what applies, what is reported as ignored, and what a change of them can't do.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { call } from "../../support/session/scripts.ts"
import { type Files, projectSession } from "../../support/session/project-session.ts"
import { loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"

const session = loop()

/** Nothing is asked: what needs permission is denied. */
const QUIET: SessionOptions = { settingSources: ["project", "local"], permission_prompts: "deny" }
const settings = (value: object): Files => ({ ".claude/settings.json": JSON.stringify(value) })
const permissions = (value: object): Files => settings({ permissions: value })

const withFiles = (files: Files, options: SessionOptions = QUIET) => projectSession(session, files, options)

const write = (path: string) => call("Write", { file_path: `/workspace/${path}`, content: "x" })
const bash = (command: string) => call("Bash", { command, description: "d" })
const read = (path: string) => call("Read", { file_path: `/workspace/${path}` })

type Open = Awaited<ReturnType<typeof withFiles>>
const refused = ({ events }: Open) => toolResultsOf(events()).map(({ is_error: error }) => error === true)
const notices = ({ events }: Open) =>
  payloadsOf(events(), "sdk:system/informational").map(({ content }) => String(content))
const init = ({ events }: Open) => payloadsOf(events(), "sdk:system/init").at(-1) ?? {}

describe("rules", () => {
  it("of the file apply, deny before ask before allow, and name their source", async () => {
    const open = await withFiles({
      ...permissions({
        allow: ["Write", "Bash(touch:*)"],
        ask: ["Bash(touch ask)"],
        deny: ["Read(secret)"],
      }),
      secret: "s",
      "a.txt": "a",
    })
    await open.uses(bash("touch b"), bash("touch ask"), read("secret"), read("a.txt"), write("n.txt"))
    expect(refused(open)).toEqual([false, true, true, false, false])
    expect(open.session.permissions.policy().rules.deny.map(({ source }) => source)).toEqual(["projectSettings"])
  })

  it("of both files apply; a tool that is denied as a whole is not offered", async () => {
    const open = await withFiles({
      ...permissions({ deny: ["WebFetch"] }),
      ".claude/settings.local.json": JSON.stringify({ permissions: { allow: ["Bash(touch:*)"] } }),
    })
    await open.uses(bash("touch b"))
    expect(refused(open)).toEqual([false])
    expect(init(open)["tools"]).not.toContain("WebFetch")
  })

  it.each([
    [[], true],
    [["local"], true],
    [["user"], true],
    [["project"], false],
  ] as const)(
    "with the sources %o a rule of the project's file leaves a call denied: %s",
    async (sources, expected) => {
      const open = await withFiles(permissions({ allow: ["Bash(touch:*)"] }), { ...QUIET, settingSources: sources })
      await open.uses(bash("touch b"))
      expect(refused(open)).toEqual([expected])
    },
  )

  it("of the options apply as well", async () => {
    const open = await withFiles(permissions({ allow: ["Bash(touch:*)"] }), {
      ...QUIET,
      disallowedTools: ["Bash(touch:*)"],
    })
    await open.uses(bash("touch b"))
    expect(refused(open)).toEqual([true])
  })
})

describe("defaults", () => {
  it("apply if the options set none", async () => {
    const file = settings({ model: "claude-haiku-4-5", permissions: { defaultMode: "plan" } })
    const open = await withFiles(file)
    await open.ask()
    expect(init(open)).toMatchObject({ permissionMode: "plan", model: expect.stringContaining("haiku") })
    expect(open.session.info()).toMatchObject({ permissionMode: "plan", model: expect.stringContaining("haiku") })
    const other = await withFiles(file, { ...QUIET, model: "claude-sonnet-4-5", permissionMode: "acceptEdits" })
    await other.ask()
    expect(init(other)).toMatchObject({ permissionMode: "acceptEdits", model: "claude-sonnet-4-5" })
  })

  it("give scripts variables, with lower precedence than those of the options", async () => {
    const open = await withFiles(settings({ env: { A: "file", B: "file", PATH: "/x", N: 1 } }), {
      ...QUIET,
      permissionMode: "bypassPermissions",
      shell_env: { B: "option" },
    })
    await open.uses(bash("echo $A $B"))
    expect(toolResultsOf(open.events())[0]?.content).toBe("file option")
    expect(notices(open)).toEqual([
      '.claude/settings.json: the variable "PATH" can\'t be set.',
      '.claude/settings.json: the variable "N" can\'t be set.',
    ])
  })

  it("add directories, relative ones to the session's own", async () => {
    const open = await withFiles(permissions({ additionalDirectories: ["../data", "/more/", "~/x"] }))
    await open.ask()
    expect(open.session.permissions.policy().directories).toEqual(["/data", "/more"])
    expect(notices(open)).toEqual(['.claude/settings.json: the directory "~/x" is outside the workspace.'])
    // The tag of the official SDK's warnings about its settings files.
    const [notice] = payloadsOf(open.events(), "sdk:system/informational")
    expect(notice).toMatchObject({ tag: "settings_not_in_effect" })
  })

  it("set no mode that skips asks, and can disable it", async () => {
    const open = await withFiles(permissions({ defaultMode: "bypassPermissions" }))
    await open.ask()
    expect(init(open)["permissionMode"]).toBe("default")
    expect(notices(open)[0]).toContain("can't be bypassPermissions in a file")
    const closed = await withFiles(permissions({ disableBypassPermissionsMode: "disable" }), {
      ...QUIET,
      permissionMode: "bypassPermissions",
    })
    await closed.uses(bash("touch b"))
    expect(refused(closed)).toEqual([true])
  })
})

describe("an ignored setting", () => {
  it("is reported once, hooks of commands by their command", async () => {
    const open = await withFiles(
      settings({
        $schema: "x",
        theme: "dark",
        sandbox: { enabled: true },
        permissions: { allow: [], auto: true },
        effortLevel: "least",
        hooks: {
          PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./guard.sh" }] }],
          Nothing: [],
          Stop: [{ hooks: [{ type: "http", url: "ftp://x" }] }],
        },
      }),
    )
    await open.ask()
    await open.ask()
    const at = ".claude/settings.json:"
    expect(notices(open)).toEqual([
      `${at} \`sandbox\` is not supported.`,
      `${at} \`permissions.auto\` is not supported.`,
      `${at} \`effortLevel\` has an invalid value.`,
      `${at} the PreToolUse hook of type command "./guard.sh" is not run: Perch starts no processes. Use the type http.`,
      `${at} \`hooks.Nothing\` is invalid.`,
      `${at} a Stop hook of type http has invalid fields.`,
    ])
  })

  it("is a rule that is not complete: the others apply", async () => {
    const open = await withFiles(
      permissions({ allow: ["Write"], deny: ["Bash(echo", "", "WebFetch"], ask: ["Bash(touch:*)"] }),
    )
    await open.uses(write("n.txt"), bash("touch b"))
    expect(refused(open)).toEqual([false, true])
    expect(notices(open)).toEqual(
      ['"Bash(echo"', '""'].map(
        (rule) =>
          `.claude/settings.json: \`permissions.deny\` has ${rule}, which is not a complete rule and has no effect.`,
      ),
    )
  })

  it.each(["", " \n", "\uFEFF"])("is no empty file (%j): it has no settings", async (text) => {
    const open = await withFiles({ ".claude/settings.json": text }, { ...QUIET, allowedTools: ["Bash"] })
    await open.uses(bash("touch b"))
    expect(refused(open)).toEqual([false])
    expect(notices(open)).toEqual([])
  })

  it.each([
    ["no JSON", "{ not json"],
    ["no object", "[]"],
    ["permissions of another form", '{ "permissions": { "deny": "Bash" } }'],
    ["a file that is too long", JSON.stringify({ permissions: { deny: ["Bash"] }, more: "x".repeat(70_000) })],
  ])("%s makes calls with effects ask, whatever allows them, and reading goes on", async (_name, text) => {
    const open = await withFiles(
      { ".claude/settings.json": text, "a.txt": "a" },
      { ...QUIET, permissionMode: "bypassPermissions", allowedTools: ["Bash"] },
    )
    await open.uses(bash("touch b"), write("n.txt"), read("a.txt"))
    expect(refused(open)).toEqual([true, true, false])
    expect(notices(open)).toEqual([expect.stringContaining("calls with effects require permission")])
  })
})

describe("a change in the middle of a session", () => {
  const ALLOWS = permissions({ allow: ["Bash(touch:*)"] })

  it("allows nothing more until a client sets the sources again", async () => {
    const open = await withFiles({})
    await open.ask()
    open.write(ALLOWS)
    await open.uses(bash("touch b"))
    expect(refused(open)).toEqual([true])
    expect(notices(open)).toEqual([expect.stringContaining("have changed since the session loaded them")])
    open.session.changes.patch({ options: { settingSources: ["project", "local"] } })
    await open.uses(bash("touch b"))
    expect(refused(open)).toEqual([true, false])
  })

  it("takes effect if it allows less or denies more", async () => {
    const open = await withFiles(permissions({ allow: ["Bash(touch:*)", "Write"], deny: ["Read(x)"] }))
    await open.uses(bash("touch b"))
    open.write({ ...permissions({ allow: ["Write"], deny: ["Read(y)"] }), x: "x", y: "y" })
    await open.uses(bash("touch b"), read("x"), read("y"), write("n.txt"))
    expect(refused(open)).toEqual([false, true, true, true, false])
  })

  it("that breaks a file makes calls with effects ask", async () => {
    const open = await withFiles(ALLOWS)
    await open.uses(bash("touch b"))
    open.write({ ".claude/settings.json": "{" })
    await open.uses(bash("touch b"))
    expect(refused(open)).toEqual([false, true])
  })

  it("is also not applied after a restart", async () => {
    const open = await withFiles({})
    await open.ask()
    open.write(ALLOWS)
    open.harness.crash()
    const again = open.harness.boot()
    expect(again.session.permissions.policy().rules.allow).toEqual([])
  })

  it("needs an ask when the model makes it, even if edits are accepted, and also by scripts", async () => {
    const open = await withFiles({}, { ...QUIET, permissionMode: "acceptEdits", allowedTools: ["Write", "Bash"] })
    await open.uses(
      write("plain.txt"),
      write(".claude/settings.json"),
      write(".claude/settings.local.json"),
      bash("echo '{}' > .claude/settings.json"),
      bash("cd .claude && touch settings.json"),
    )
    expect(refused(open)).toEqual([false, true, true, true, true])
  })
})

it("the log has the applied settings, with the names of variables and without the query of an address", async () => {
  const url = "https://hooks.example.com/x?token=SECRET"
  const open = await withFiles(
    settings({
      env: { TOKEN: "SECRET" },
      hooks: { SessionEnd: [{ hooks: [{ type: "http", url, headers: { authorization: "SECRET" } }] }] },
    }),
  )
  await open.ask()
  expect(payloadsOf(open.events(), "settings:taken")).toMatchObject([
    { sources: ["project", "local"], settings: { env: ["TOKEN"], hooks: { SessionEnd: expect.anything() } } },
  ])
  expect(JSON.stringify(open.events())).not.toContain("SECRET")
})

it("the subagents of the project can be started, and are listed in system/init", async () => {
  const open = await withFiles({
    ".claude/agents/helper.md":
      "---\nname: helper\ndescription: Helps\ntools: Read, Grep\nmodel: haiku\npermissionMode: bypassPermissions\n---\nYou help.",
    ".claude/agents/nameless.md": "---\nname: not:a name\ndescription: x\n---\n",
    ".claude/agents/reviewer.md": "---\nname: Code Reviewer 2.0\ndescription: x\n---\nYou review.",
    ".claude/agents/described.md": "---\ndescription: x\n---\nYou are not there.",
    ".claude/agents/blank.md": "---\nname: blank\n---\ntext",
  })
  await open.ask()
  expect(init(open)["agents"]).toEqual(expect.arrayContaining(["helper", "Code Reviewer 2.0"]))
  expect(init(open)["agents"]).not.toContain("described")
  expect(open.session.definitions.agents.find(({ name }) => name === "helper")).toEqual({
    name: "helper",
    source: "project",
    description: "Helps",
    prompt: "You help.",
    tools: ["Read", "Grep"],
    model: "haiku",
  })
  expect(notices(open)).toEqual([
    ".claude/agents/blank.md has no description, and is left out.",
    ".claude/agents/described.md has no name, or one that is too long, or has a colon or a character that can't be shown, and is left out.",
    ".claude/agents/helper.md asks for the permission mode bypassPermissions: a file can't set this mode, so the session's mode applies.",
    ".claude/agents/nameless.md has no name, or one that is too long, or has a colon or a character that can't be shown, and is left out.",
  ])
})
