// Read and Edit rules for the files that a script sees: each script of the tables really runs, once as the loop runs it and
// once with only the files' own rules.
import { describe, expect, it } from "vitest"
import { matchesGlob } from "../../src/agent/calls/judged-call.ts"
import { refusedFile } from "../../src/permissions/file-rules.ts"
import { type Policy, policyOf } from "../../src/permissions/policy.ts"
import { bashTool } from "../../src/tools/bash/bash.ts"
import { type FileRules, NO_FILE_RULES } from "../../src/workspace/file-rules.ts"
import type { Workspace } from "../../src/workspace/workspace.ts"
import { callOnce } from "../support/session/one-call.ts"
import { openContext, runAndCommit } from "../tools/tool-context.ts"
import { openWorkspace } from "../workspace/sql-twin.ts"
import { READS, SECRET, WRITES } from "./file-rules-table.ts"

const RULES = ["Read(.env)", "Read(secrets/**)", "Edit(locked/**)", "Edit(frozen.txt)"]

const policyWith = (permissions: object, mode: "bypassPermissions" | "default" = "bypassPermissions"): Policy =>
  policyOf({ permissionMode: mode, settings: { permissions } }, [])

const DENIED = policyWith({ deny: RULES })

const files = (): Workspace => {
  const { workspace } = openWorkspace()
  for (const path of [".env", "secrets/key", "secrets/other", "sub/.env", "deep/er/.env"])
    workspace.writeBytes(`/workspace/${path}`, `KEY=${SECRET}\n`)
  for (const path of ["frozen.txt", "locked/a"]) workspace.writeBytes(`/workspace/${path}`, "keep\n")
  workspace.mkdir("/workspace/locked/empty")
  workspace.writeBytes("/workspace/words.txt", "a\nb\nc\n")
  workspace.writeBytes("/workspace/sub/plain", "plain\n")
  workspace.mkdir("/workspace/far")
  for (const [path, target] of [
    ["pre-linked", ".env"],
    ["linked-dir", "secrets"],
    ["far/l", "../sub/.env"],
    ["locked-link", "frozen.txt"],
    ["locked-dir", "locked"],
  ] as const)
    workspace.symlink(target, `/workspace/${path}`)
  return workspace
}

const rulesOf = (policy: Policy): FileRules => ({
  refusal: (use, names) =>
    refusedFile(
      { use, names: names(), cwd: "/workspace", matchesGlob, approved: false, bounds: null, planFile: "/plan" },
      policy,
    ),
})

/** The script alone, without the analysis before it runs. */
const bare = async (workspace: Workspace, command: string, rules: FileRules) => {
  const { context } = openContext()
  const { content, output } = await runAndCommit(bashTool, { command }, { ...context, workspace, files: rules })
  return JSON.stringify([content, output])
}

const looped = async (workspace: Workspace, command: string, policy = DENIED) => {
  const { text, output } = await callOnce({ workspace, policy: () => policy }, "Bash", { command })
  return JSON.stringify([text, output])
}

const RUNS = [
  (workspace: Workspace, script: string) => bare(workspace, script, rulesOf(DENIED)),
  (workspace: Workspace, script: string) => looped(workspace, script),
]

/** Files with the secret to which no rule applies. */
const copies = (workspace: Workspace): ReadonlyArray<string> =>
  workspace.nodes
    .below("/")
    .filter(([path, { type }]) => type === "file" && !/\/\.env$|\/workspace\/secrets\//.test(path))
    .filter(([path]) => workspace.readText(path).includes(SECRET))
    .map(([path]) => path)

/** The files that a rule protects from changes. */
const kept = (workspace: Workspace) =>
  ["/workspace/frozen.txt", "/workspace/locked"].flatMap((root) =>
    [[root, workspace.nodes.get(root)] as const, ...workspace.nodes.below(root)].map(([path, node]) =>
      JSON.stringify([path, node?.type, node?.hash, node?.mode, node?.mtime]),
    ),
  )

describe(`what a Read rule denies is not shown to a script, in ${READS.length} ways of reading`, () => {
  it.each(READS)("%s", async (script) => {
    const open = await bare(files(), script, NO_FILE_RULES)
    expect(open, "without the rule it is shown").toContain(SECRET)
    for (const run of RUNS) {
      const workspace = files()
      const output = await run(workspace, script)
      expect(output).not.toContain(SECRET)
      expect(output).toMatch(/Permission denied|denied by a permission rule/)
      expect(copies(workspace)).toEqual([])
    }
  })
})

describe(`what an Edit rule denies is not changed by a script, in ${WRITES.length} ways of writing`, () => {
  it.each(WRITES)("%s", async (script) => {
    const open = files()
    const before = kept(open)
    await bare(open, script, NO_FILE_RULES)
    expect(kept(open), "without the rule it is changed").not.toEqual(before)
    for (const run of RUNS) {
      const workspace = files()
      const output = await run(workspace, script)
      expect(kept(workspace)).toEqual(before)
      expect(output).toMatch(/Permission denied|denied by a permission rule/)
    }
  })
})

describe("an ask rule for files", () => {
  const ASKS = policyWith({ ask: RULES, allow: ["Bash"] })
  const call = (workspace: Workspace, command: string, answer: "allow" | "deny") =>
    callOnce({ workspace, policy: () => ASKS, answer }, "Bash", { command })

  it.each(["cat secrets/key", "cat .e*", "cat linked-dir/key", "echo x > frozen.txt", "rm locked-dir/a"])(
    "asks before %s, and the answer grants access to the file",
    async (script) => {
      expect(await call(files(), script, "deny")).toMatchObject({ asked: true, isError: true })
      const { asked, text } = await call(files(), script, "allow")
      expect([asked, text]).toEqual([true, expect.not.stringContaining("Permission denied")])
    },
  )

  const UNFORESEEN = [
    "find . -type f -exec cat {} +",
    "grep -r . .",
    "ls -A | while read f; do cat $f; done",
    "cp -a sub copy; cat copy/.env",
    "f=.e; f=${f}nv; cat $f",
    "for f in *.txt; do sed -i s/keep/gone/ $f; done",
    "g=zen.txt; echo x > fro$g",
  ]
  it.each(UNFORESEEN)("denies what was not approved: %s", async (script) => {
    const workspace = files()
    const before = kept(workspace)
    const { asked, text } = await call(workspace, script, "deny")
    if (!asked) expect(text).toMatch(/asks before (reading|changing) .*, and this call was not approved/)
    expect(text).not.toContain(SECRET)
    expect(kept(workspace)).toEqual(before)
  })
})

describe("the other reading tools", () => {
  const answer = async (policy: Policy, name: string, input: Record<string, unknown>) =>
    (await callOnce({ workspace: files(), policy: () => policy }, name, input)).text

  it("Grep excludes files that may not be read, and those that would have needed an ask", async () => {
    for (const policy of [DENIED, policyWith({ ask: RULES })]) {
      const text = await answer(policy, "Grep", { pattern: ".", path: "/workspace", output_mode: "content" })
      expect(text).toContain("plain")
      expect(text).not.toContain(SECRET)
    }
  })

  it("Glob lists no file that may not be read", async () => {
    const text = await answer(DENIED, "Glob", { pattern: "**/*" })
    expect(text.split("\n").toSorted()).toEqual([
      "far/l",
      "frozen.txt",
      "linked-dir",
      "locked-dir",
      "locked-link",
      "locked/a",
      "pre-linked",
      "sub/plain",
      "words.txt",
    ])
  })

  it("a rule also applies to the other Unicode form of a name, and to the target of the rule's own path", async () => {
    const { workspace } = openWorkspace()
    workspace.writeBytes("/workspace/cafe\u0301/key", SECRET)
    workspace.writeBytes("/workspace/real/key", SECRET)
    workspace.symlink("real", "/workspace/alias")
    const policy = policyWith({ deny: ["Read(caf\u00e9/**)", "Read(alias/**)"] })
    for (const command of ["cat caf*/key", "cat real/key", "cat real/*", "cat alias/key"]) {
      const { text } = await callOnce({ workspace, policy: () => policy }, "Bash", { command })
      expect(text, command).not.toContain(SECRET)
    }
    for (const file_path of ["/workspace/cafe\u0301/key", "/workspace/real/key"]) {
      const { text } = await callOnce({ workspace, policy: () => policy }, "Read", { file_path })
      expect(text).not.toContain(SECRET)
    }
  })
})
