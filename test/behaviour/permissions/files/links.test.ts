// Links between a call and its file: permissions depend on where the file really is, in every mode.
import { describe, expect, it } from "vitest"
import { SessionMemory } from "../../../../src/agent/transcript/projection.ts"
import { policyOf } from "../../../../src/permissions/policy.ts"
import type { PermissionMode } from "../../../../src/schemas/sdk/options/permissions.ts"
import type { Workspace } from "../../../../src/workspace/workspace.ts"
import { callOnce, type CallSetting } from "../../../support/session/one-call.ts"
import { openWorkspace } from "../../../workspace/sql-twin.ts"
import { type LinkCase, LINKS, type Place } from "./links-table.ts"

const SECRET = "what only that file holds"
const MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const
type Mode = (typeof MODES)[number]

const RULES = { deny: ["Read(.env)", "Read(secrets/**)", "Read(.hidden)", "Edit(locked/**)", "Edit(alias/**)"] }

const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: "code", source: "keep", metadata: {}, outputs: [], execution_count: null }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 4,
})

const filesOf = (links: LinkCase["links"], added: ReadonlyArray<string> = []): Workspace => {
  const { workspace } = openWorkspace()
  for (const path of ["/workspace/.env", "/workspace/secrets/key", "/workspace/sub/inner.txt"])
    workspace.writeBytes(path, `keep ${SECRET}\n`)
  workspace.writeBytes("/workspace/plain.txt", `plain, keep ${SECRET}\n`)
  for (const path of ["/outside/f", "/workspace/locked/a", "/workspace/.git/hooks/pre-commit", "/workspace/.bashrc"])
    workspace.writeBytes(path, `keep ${SECRET}\n`)
  for (const path of ["/outside/nb.ipynb", "/workspace/locked/nb.ipynb"]) workspace.writeBytes(path, NOTEBOOK)
  for (const path of added) if (!links.some(([link]) => link === path)) workspace.mkdir(path, { recursive: true })
  for (const [path, target] of links) workspace.symlink(target, path)
  return workspace
}

const snapshot = (workspace: Workspace) =>
  JSON.stringify(
    workspace.nodes.below("/").map(([path, node]) => [path, node.type, node.hash, node.mtime, node.target]),
  )

/** The model has read whatever the path refers to. */
const knowing = (input: LinkCase["input"]): SessionMemory => {
  const memory = new SessionMemory("/workspace")
  const path = String(input["file_path"] ?? input["notebook_path"] ?? "")
  if (path !== "") memory.knownFiles.add(path.startsWith("/") ? path : `/workspace/${path}`)
  return memory
}

const callOf = (one: LinkCase, mode: PermissionMode, workspace: Workspace, more: Partial<CallSetting> = {}) => {
  const { tool, input, cwd, added = [] } = one
  const policy = policyOf({ permissionMode: mode, additionalDirectories: added, settings: { permissions: RULES } }, [])
  return callOnce(
    {
      workspace,
      policy: () => policy,
      memory: knowing(input),
      ...(cwd === undefined ? {} : { cwd }),
      ...more,
    },
    tool,
    input,
  )
}

type Expected = "runs" | "asks" | "refused"

/** The decision for a read and a write of a file at such a place, in each of the modes. */
const EXPECTED: Readonly<Record<Place, Readonly<Record<LinkCase["does"], string>>>> = {
  //                 default acceptEdits plan dontAsk bypassPermissions
  inside: { read: "runs runs runs runs runs", write: "asks runs asks refused runs" },
  outside: { read: "asks asks asks refused runs", write: "asks asks asks refused runs" },
  guarded: { read: "runs runs runs runs runs", write: "asks asks asks refused runs" },
  denied: { read: "refused refused refused refused refused", write: "refused refused refused refused refused" },
  nowhere: { read: "refused", write: "refused" },
}

const titleOf = ({ links, tool, input, cwd = "" }: LinkCase): string =>
  `${links.length > 2 ? `${links.length} links` : links.map((link) => link.join(" -> ")).join(", ")}: ${cwd} ${tool} ${JSON.stringify(input)}`

const OUTSIDE = /\/(outside|nothing|out|tmp)\b/
const GUARDED = /\/\.(git|claude|vscode|husky|bashrc)\b/i

describe(`${LINKS.length} calls through links, in ${MODES.length} modes each`, () => {
  it.each(LINKS.map((one) => [titleOf(one), one] as const))("%s", async (_, one) => {
    const row = EXPECTED[one.at][one.does].split(" ") as ReadonlyArray<Expected>
    for (const [column, mode] of MODES.entries()) {
      const workspace = filesOf(one.links, one.added)
      const before = snapshot(workspace)
      const { asked, isError, text } = await callOf(one, mode, workspace, { answer: "deny" })
      const changed = snapshot(workspace) !== before
      const expected = one.at === "nowhere" ? "refused" : row[column]
      const what = `${mode}: ${text}`
      if (expected === "runs") {
        expect(asked, what).toBe(false)
        expect(isError, what).toBe(false)
        expect(changed, what).toBe(one.does === "write")
        continue
      }
      if (one.at !== "nowhere") expect(asked, what).toBe(expected === "asks")
      expect(isError, what).toBe(true)
      expect(changed, what).toBe(false)
      expect(text, what).not.toContain(SECRET)
    }
  })

  const asking = LINKS.filter(({ at }) => at === "outside" || at === "guarded")
  it(`${asking.length} of them run once a person has allowed them, and the ask names the file that they lead to`, async () => {
    for (const one of asking) {
      const workspace = filesOf(one.links, one.added)
      const { asked, blockedPath, why, text } = await callOf(one, "acceptEdits", workspace, { answer: "allow" })
      expect(asked, titleOf(one)).toBe(true)
      expect(text).not.toContain("Permission denied")
      const reason = `${blockedPath} ${why}`
      if (one.tool !== "Bash") expect(reason, titleOf(one)).toMatch(one.at === "outside" ? OUTSIDE : GUARDED)
    }
  })
})

const MODE: Mode = "acceptEdits"

describe("a link that appears after its call was judged", () => {
  const write = {
    links: [],
    tool: "Write",
    input: { file_path: "d/new", content: "x" },
    does: "write",
    at: "inside",
  } as const
  const relink = (workspace: Workspace, target: string) => () => {
    if (workspace.exists("/workspace/d")) workspace.remove("/workspace/d", { recursive: true })
    workspace.symlink(target, "/workspace/d")
  }

  it.each(["/outside", ".git/hooks", "locked", "sub"])(
    "to %s, while a person is asked: the answer does not apply to it",
    async (target) => {
      const workspace = filesOf([])
      const meanwhile = relink(workspace, target)
      const { text, isError } = await callOf(write, "default", workspace, { answer: "allow", meanwhile })
      expect(isError).toBe(true)
      expect(text).toContain("is no longer the file that permission was requested for")
      for (const place of ["/outside", "/workspace/.git/hooks", "/workspace/locked", "/workspace/sub"])
        expect(workspace.exists(`${place}/new`)).toBe(false)
    },
  )

  const SWAPPED = [
    ["Write", { file_path: "d/new", content: "x" }],
    ["Bash", { command: "mkdir -p d && touch d/new" }],
    ["Bash", { command: "cp plain.txt d/new" }],
  ] as const
  it.each(
    SWAPPED.flatMap(([tool, input]) =>
      ["/outside", ".git/hooks", "locked"].map((target) => [tool, input, target] as const),
    ),
  )(
    "%s %j, to %s between run and commit: nothing is written there, and the model receives the reason",
    async (tool, input, target) => {
      const workspace = filesOf([])
      workspace.writeBytes("/workspace/d/old", "")
      const beforeCommit = relink(workspace, target)
      const { text, isError } = await callOf({ ...write, tool, input }, MODE, workspace, { beforeCommit })
      expect(isError, text).toBe(true)
      expect(text).toMatch(/has become a link while the call ran/)
      for (const place of ["/outside", "/workspace/.git/hooks", "/workspace/locked"])
        expect(workspace.exists(`${place}/new`)).toBe(false)
      expect(workspace.lstat("/workspace/d").type).toBe("symlink")
    },
  )

  it("a rule that is added between run and commit prevents the change", async () => {
    const workspace = filesOf([])
    const open = policyOf({ permissionMode: "bypassPermissions" }, [])
    const closed = policyOf({ permissionMode: "bypassPermissions", disallowedTools: ["Edit(plain.txt)"] }, [])
    let policy = open
    const beforeCommit = () => void (policy = closed)
    for (const [tool, input] of [
      ["Bash", { command: "echo x > plain.txt" }],
      ["Write", { file_path: "/workspace/plain.txt", content: "x" }],
    ] as const) {
      policy = open
      const memory = knowing(input)
      const { text, isError } = await callOnce({ workspace, policy: () => policy, beforeCommit, memory }, tool, input)
      expect([isError, text]).toEqual([true, expect.stringContaining("Edit(plain.txt) denies changing")])
      expect(workspace.readText("/workspace/plain.txt")).toContain(SECRET)
    }
  })
})

describe("a script that was allowed for the files it names can't reach others", () => {
  const OUT = [
    // Links that the script moves or copies to a path it uses.
    ["a link is moved to another name and read", [["/workspace/sub/l", "/outside/f"]], "mv sub/l sub/m; cat sub/m"],
    ["a directory link is copied and read through", [["/workspace/sub/l", "/outside"]], "cp -a sub copy; cat copy/l/f"],
    ["a tree is copied into a link", [["/workspace/sub/l", "/outside"]], "cp -a sub copy; cp plain.txt copy/l/new"],
    ["a template holds what git obeys", [], "cp -r tmpl/. . 2>/dev/null; cp -r tmpl/. ."],
    [
      "a link among many is written",
      [["/workspace/sub/l", "/outside/f"]],
      "cp -a sub copy; sed -i s/keep/gone/ copy/*",
    ],
  ] as const
  it.each(OUT)("%s", async (_, links, command) => {
    const workspace = filesOf(links)
    workspace.writeBytes("/workspace/tmpl/.git/hooks/pre-commit", "evil\n")
    const outside = () => JSON.stringify(workspace.nodes.below("/outside").map(([path, { hash }]) => [path, hash]))
    const before = outside()
    const policy = policyOf({ permissionMode: MODE }, [])
    const { text, asked } = await callOnce({ workspace, policy: () => policy, answer: "deny" }, "Bash", { command })
    if (!asked) expect(text).toMatch(/Permission denied/)
    expect(text.split(SECRET).length).toBeLessThanOrEqual(1)
    expect(outside()).toBe(before)
    expect(workspace.readText("/workspace/.git/hooks/pre-commit")).toContain("keep")
  })
})

describe("the session's own notes", () => {
  it("a long output is not saved through a link", async () => {
    const workspace = filesOf([["/workspace/.perch", ".git/hooks"]])
    workspace.writeBytes("/workspace/long", "line\n".repeat(20_000))
    const policy = policyOf({ permissionMode: "default" }, [])
    const { text, isError } = await callOnce({ workspace, policy: () => policy }, "Bash", { command: "cat long" })
    expect(isError).toBe(false)
    expect(text).toContain("Output cut here")
    expect(workspace.exists("/workspace/.git/hooks/tool-results")).toBe(false)
  })

  it("a long output is saved in every mode, and needs no permission", async () => {
    for (const mode of MODES) {
      const workspace = filesOf([])
      workspace.writeBytes("/workspace/long", "line\n".repeat(20_000))
      const policy = policyOf({ permissionMode: mode, disallowedTools: ["Edit(locked/**)"] }, [])
      const { text } = await callOnce({ workspace, policy: () => policy }, "Bash", { command: "cat long" })
      expect(text).toContain("<persisted-output>")
      expect(workspace.readdir("/workspace/.perch/tool-results")).toHaveLength(1)
    }
  })
})
