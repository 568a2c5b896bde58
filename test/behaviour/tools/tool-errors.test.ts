import { describe, expect, it } from "vitest"
import { builtInTools, toolByName } from "../../../src/tools/registry.ts"
import { fails, openContext, run } from "../../tools/tool-context.ts"

const opened = () => {
  const all = openContext({ quotas: () => ({ maxFiles: 20, maxBytes: 100_000, maxFileBytes: 50_000 }) })
  const { workspace, knownFiles } = all
  workspace.writeBytes("/workspace/a.txt", "one one\ntwo\n")
  workspace.writeBytes("/workspace/unread.txt", "x")
  workspace.writeBytes("/workspace/bin", Uint8Array.from([1, 0, 2]))
  workspace.writeBytes("/workspace/latin", Uint8Array.from([0xff]))
  workspace.writeBytes("/workspace/no.ipynb", "{")
  workspace.writeBytes("/workspace/n.ipynb", '{"cells":[]}')
  workspace.writeBytes("/workspace/no.pdf", "x")
  workspace.writeBytes("/workspace/old.txt", "old")
  workspace.mkdir("/workspace/dir")
  workspace.symlink("/etc/passwd", "/workspace/out")
  workspace.symlink("loop", "/workspace/loop")
  for (const name of ["a.txt", "latin", "no.ipynb", "n.ipynb"]) knownFiles.add(`/workspace/${name}`)
  knownFiles.add("/workspace/old.txt", "of another content")
  return all
}

const tree = ({ workspace }: ReturnType<typeof opened>) => workspace.list("/", null, 1000).files

const edit = (file_path: string, old_string = "two", new_string = "2") => ({ file_path, old_string, new_string })
const cell = (notebook_path: string, rest: object = { cell_id: "c" }) => ({ notebook_path, new_source: "x", ...rest })

describe("a call that fails", () => {
  it.each([
    ["Read", {}, "invalid_arguments"],
    ["Read", { file_path: "none" }, "not_found"],
    ["Read", { file_path: "dir" }, "command_failed"],
    ["Edit", { file_path: "bin", old_string: "a", new_string: "b" }, "command_failed"],
    ["Read", { file_path: "no.pdf" }, "command_failed"],
    ["Read", { file_path: "no.pdf", pages: "x" }, "invalid_arguments"],
    ["Read", { file_path: "no.ipynb" }, "command_failed"],
    ["Write", { file_path: "unread.txt", content: "" }, "invalid_arguments"],
    ["Write", { file_path: "old.txt", content: "" }, "invalid_arguments"],
    ["Write", { file_path: "dir", content: "" }, "invalid_arguments"],
    ["Write", { file_path: "a.txt/below", content: "" }, "invalid_arguments"],
    ["Write", { file_path: "big", content: "x".repeat(50_001) }, "command_failed"],
    ["Edit", edit("none"), "not_found"],
    ["Edit", edit("dir"), "command_failed"],
    ["Edit", edit("unread.txt"), "invalid_arguments"],
    ["Edit", edit("a.txt", "three"), "missing_old_text"],
    ["Edit", edit("a.txt", "one"), "not_unique"],
    ["Edit", edit("a.txt", "two", "two"), "unchanged"],
    ["Edit", edit("a.txt", ""), "invalid_arguments"],
    ["Edit", edit("old.txt", "none"), "missing_old_text"],
    ["Edit", edit("latin"), "command_failed"],
    ["Edit", edit("n.ipynb"), "invalid_arguments"],
    ["Edit", edit("a.txt", "two", "x".repeat(50_001)), "command_failed"],
    ["NotebookEdit", cell("a.txt"), "invalid_arguments"],
    ["NotebookEdit", cell("none.ipynb"), "not_found"],
    ["NotebookEdit", cell("no.ipynb"), "command_failed"],
    ["NotebookEdit", cell("n.ipynb"), "not_found"],
    ["NotebookEdit", cell("n.ipynb", {}), "invalid_arguments"],
    ["NotebookEdit", cell("n.ipynb", { edit_mode: "insert" }), "invalid_arguments"],
    ["Glob", { pattern: "*", path: "none" }, "not_found"],
    ["Glob", { pattern: "*", path: "a.txt" }, "invalid_arguments"],
    ["Glob", { pattern: "{a,b}".repeat(201) }, "invalid_arguments"],
    ["Grep", { pattern: "(" }, "invalid_arguments"],
    ["Grep", { pattern: "(?=x)" }, "invalid_arguments"],
    ["Grep", { pattern: "x", type: "nope" }, "invalid_arguments"],
    ["Grep", { pattern: "x", path: "none" }, "not_found"],
    ["LS", { path: "none" }, "not_found"],
    ["LS", { path: "a.txt" }, "command_failed"],
    ["LS", { path: ".", ignore: ["{a,b}".repeat(201)] }, "invalid_arguments"],
    ["Bash", {}, "invalid_arguments"],
    ["TodoWrite", { todos: [{}] }, "invalid_arguments"],
  ] as const)("%s %j fails as %s, and changes nothing", async (name, input, reason) => {
    const all = opened()
    const before = tree(all)
    const error = await fails(toolByName(name)!, input, all.context)
    expect(error.reason).toBe(reason)
    expect(error.message.length).toBeGreaterThan(10)
    expect(error.message).not.toContain("\0")
    expect(tree(all)).toEqual(before)
  })

  it("reports that it was interrupted", async () => {
    const { context, abort } = opened()
    abort.abort()
    expect(await fails(toolByName("Bash")!, { command: "echo" }, context)).toMatchObject({ reason: "aborted" })
  })

  it("is rejected at once by every tool for an invalid input", async () => {
    const { context } = opened()
    for (const tool of builtInTools) {
      for (const input of [null, [], "x", 3, { __unparsedToolInput: { raw: "{", len: 1 } }, { nothing: true }]) {
        expect((await fails(tool, input, context)).reason, tool.name).toBe("invalid_arguments")
      }
    }
  })
})

describe("a path that leads outside", () => {
  const byPath = (path: string) =>
    [
      ["Read", { file_path: path }],
      ["Write", { file_path: `${path}/x`, content: "x" }],
      ["Edit", edit(path)],
      ["NotebookEdit", cell(`${path}.ipynb`)],
      ["Glob", { pattern: "*", path }],
      ["Grep", { pattern: "x", path }],
      ["LS", { path }],
    ] as const

  it.each([
    ["a NUL byte", "a\0b"],
    ["half a character", "a\ud800b"],
    ["a name of 300 bytes", "n".repeat(300)],
    ["a name of 200 characters and 600 bytes", "€".repeat(200)],
    ["more than 4096 bytes", "d/".repeat(2100)],
  ])("with %s is refused by every tool", async (_, path) => {
    const all = opened()
    const before = tree(all)
    for (const [name, input] of byPath(path)) {
      const error = await fails(toolByName(name)!, input, all.context)
      expect(error.reason, name).toMatch(/^(?:command_failed|invalid_arguments|not_found)$/)
      expect(error.message, name).not.toMatch(/a[\p{Cc}\p{Cs}\u2028]/u)
      expect(error.message.length, name).toBeLessThan(1000)
    }
    expect(tree(all)).toEqual(before)
  })

  it.each(["../../../etc/passwd", "/etc/passwd", "out", "loop", "dir/../../../../etc/shadow"])(
    "with %s finds nothing of the host",
    async (path) => {
      const all = opened()
      const before = tree(all)
      for (const [name, input] of byPath(path)) {
        if (name === "Write") continue
        const error = await fails(toolByName(name)!, input, all.context)
        expect(error.reason, name).toMatch(/^(?:not_found|command_failed)$/)
      }
      expect(tree(all)).toEqual(before)
    },
  )

  it("is checked against permissions at its real location", () => {
    for (const [name, input] of byPath("../../etc")) {
      const [path] = toolByName(name)!.paths(input, "/workspace")
      expect(path, name).toMatch(/^\/etc/)
    }
    for (const [name, input] of byPath("a\0b")) expect(toolByName(name)!.paths(input, "/workspace")).toEqual(["/"])
  })
})

describe("the quotas", () => {
  it("are reported by the tool that would exceed them, and the existing content stays", async () => {
    const all = opened()
    all.knownFiles.add("/workspace/big")
    all.workspace.writeBytes("/workspace/big", "y".repeat(49_000))
    all.workspace.writeBytes("/workspace/big2", "y".repeat(49_000))
    const before = tree(all)
    const write = { file_path: "third", content: "z".repeat(3000) }
    expect((await fails(toolByName("Write")!, write, all.context)).message).toContain("EDQUOT")
    expect(
      (await fails(toolByName("Edit")!, { ...edit("big", "y", "yy"), replace_all: true }, all.context)).message,
    ).toContain("EFBIG")
    expect(tree(all)).toEqual(before)
    for (let index = 0; index < 20; index += 1) {
      const path = `/workspace/f${index}`
      if (all.workspace.totals().nodes < 20) all.workspace.writeBytes(path, "")
    }
    expect((await fails(toolByName("Write")!, { file_path: "more", content: "" }, all.context)).message).toContain(
      "20 files",
    )
  })
})

describe("a hundred thousand lines", () => {
  const LINES = Array.from({ length: 100_000 }, (_, index) => `line ${index}`)
  const filled = () => {
    const all = openContext()
    all.workspace.writeBytes("/workspace/n", `${LINES.join("\n")}\n`)
    return all
  }

  it("are read in parts without gaps", async () => {
    const { context } = filled()
    const seen: Array<string> = []
    for (let offset = 1; offset <= 100_001;) {
      const { content, output } = await run(toolByName("Read")!, { file_path: "n", offset, allow_large: true }, context)
      const { file } = output as { readonly file: { readonly content: string; readonly numLines: number } }
      seen.push(file.content)
      offset += file.numLines
      expect(String(content).length).toBeLessThan(1_100_000)
      if (offset <= 100_001) expect(content).toContain(`Continue with offset ${offset}.)`)
    }
    expect(seen.join("\n")).toBe(`${LINES.join("\n")}\n`)
  })

  it("are found in pages that name where to continue", async () => {
    const { context } = filled()
    const asked = { pattern: "line", output_mode: "content", head_limit: 0, "-n": false }
    const first = await run(toolByName("Grep")!, asked, context)
    expect(String(first.content).length).toBeLessThan(51_000)
    const next = Number(/Continue with offset (\d+)\.\)$/.exec(String(first.content))?.[1])
    const second = await run(toolByName("Grep")!, { ...asked, offset: next }, context)
    expect(String(second.content).split("\n")[0]).toBe(`n:line ${next}`)
    expect((await run(toolByName("Grep")!, { pattern: "line", output_mode: "count" }, context)).content).toContain(
      "n:100000",
    )
  })

  it("are written, edited and compared without loss", async () => {
    const { context, knownFiles, workspace } = filled()
    knownFiles.add("/workspace/n")
    const outcome = await run(toolByName("Edit")!, edit("n", "line 99999", "the last"), context)
    outcome.commit?.([])
    expect(workspace.readText("/workspace/n")).toBe(`${LINES.slice(0, -1).join("\n")}\nthe last\n`)
    const written = await run(toolByName("Write")!, { file_path: "n", content: LINES.join("\n") }, context)
    written.commit?.([])
    expect(workspace.readText("/workspace/n")).toBe(LINES.join("\n"))
  })

  it("that a script prints are stored in a file", async () => {
    const { context, workspace } = filled()
    const outcome = await run(toolByName("Bash")!, { command: "cat n" }, context)
    outcome.commit?.([])
    expect(String(outcome.content).length).toBeLessThan(51_000)
    const { persistedOutputPath } = outcome.output as { readonly persistedOutputPath: string }
    expect(workspace.readText(persistedOutputPath)).toBe(workspace.readText("/workspace/n"))
  })
})
