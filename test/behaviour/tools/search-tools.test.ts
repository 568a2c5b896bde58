import { describe, expect, it } from "vitest"
import { globTool } from "../../../src/tools/files/glob.ts"
import { grepTool } from "../../../src/tools/files/grep.ts"
import { listTool } from "../../../src/tools/files/list.ts"
import { todoWriteTool } from "../../../src/tools/planning/todo-write.ts"
import { fails, openContext, run } from "../../tools/tool-context.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

const filled = () => {
  const opened = openContext()
  opened.workspace.writeBytes("/workspace/a.txt", "alpha\nbeta\nalpha\n")
  opened.clock.now += 1000
  opened.workspace.writeBytes("/workspace/src/b.txt", "alpha\n")
  return opened
}

describe("Glob", () => {
  it("finds all files with an empty pattern", async () => {
    expect((await run(globTool, { pattern: "" }, filled().context)).content).toBe("a.txt\nsrc/b.txt")
    expect((await run(globTool, { pattern: "", path: "src" }, filled().context)).content).toBe("src/b.txt")
  })

  it("returns paths relative to the working directory", async () => {
    const { context, workspace } = filled()
    const outcome = await run(globTool, { pattern: "**/*.txt" }, context)
    expect(outcome.content).toBe("a.txt\nsrc/b.txt")
    expect(outcome.output).toMatchObject({
      numFiles: 2,
      filenames: ["a.txt", "src/b.txt"],
      truncated: false,
      totalMatches: 2,
    })
    workspace.writeBytes("/tmp/c.txt", "x")
    expect((await run(globTool, { pattern: "*.txt", path: "/tmp" }, context)).content).toBe("/tmp/c.txt")
    expect((await run(globTool, { pattern: "/tmp/*.txt" }, context)).content).toBe("/tmp/c.txt")
  })

  it("shows at most 100 files, with a note about it", async () => {
    const { context, workspace } = openContext()
    for (let index = 0; index < 150; index += 1) workspace.writeBytes(`/workspace/f${index}`, "")
    const outcome = await run(globTool, { pattern: "*" }, context)
    expect(outcome.output).toMatchObject({ numFiles: 100, truncated: true, totalMatches: 150 })
    expect(outcome.content).toContain("(The first 100 of 150 files.")
  })

  it("reports that nothing was found, and rejects a missing directory", async () => {
    const { context } = openContext({ directories: [] })
    expect((await run(globTool, { pattern: "*" }, context)).content).toBe("No files found")
    expect(await fails(globTool, { pattern: "*", path: "none" }, context)).toMatchObject({ reason: "not_found" })
    expect(await fails(globTool, { pattern: "{a,b}".repeat(201) }, filled().context)).toMatchObject({
      reason: "invalid_arguments",
    })
  })
})

describe("Grep", () => {
  it("finds and counts lines with empty matches across lines too, as recorded", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/a.txt", "alpha\n\nbravo\n")
    workspace.writeBytes("/workspace/b.txt", "alpha\nx")
    const search = async (pattern: string, output_mode: string) =>
      (await run(grepTool, { pattern, output_mode, multiline: true }, context)).content
    for (const pattern of ["", "^", "z*", "(alpha)?", "a*"])
      expect([pattern, await search(pattern, "count")]).toEqual([
        pattern,
        "a.txt:3\nb.txt:2\n\nFound 5 total occurrences across 2 files.",
      ])
    expect(await search("a", "count")).toBe("a.txt:2\nb.txt:1\n\nFound 3 total occurrences across 2 files.")
    expect(await search("^$", "content")).toBe("a.txt:2:")
    expect(await search("^", "content")).toBe("a.txt:1:alpha\na.txt:2:\na.txt:3:bravo\nb.txt:1:alpha\nb.txt:2:x")
    expect(await search("a\\nx?", "count")).toBe("a.txt:1\nb.txt:1\n\nFound 2 total occurrences across 2 files.")
  })

  it("returns paths by default, newest first", async () => {
    const { context } = filled()
    const outcome = await run(grepTool, { pattern: "alpha" }, context)
    expect(outcome.content).toBe("Found 2 files\nsrc/b.txt\na.txt")
    expect(outcome.output).toEqual({
      mode: "files_with_matches",
      filenames: ["src/b.txt", "a.txt"],
      numFiles: 2,
      totalFiles: 2,
    })
    expect((await run(grepTool, { pattern: "beta" }, context)).content).toBe("Found 1 file\na.txt")
    expect((await run(grepTool, { pattern: "none" }, context)).content).toBe("No files found")
  })

  it("returns lines with numbers and context", async () => {
    const { context } = filled()
    const asked = { pattern: "alpha", output_mode: "content" }
    const outcome = await run(grepTool, asked, context)
    expect(outcome.content).toBe("a.txt:1:alpha\na.txt:3:alpha\nsrc/b.txt:1:alpha")
    expect(outcome.output).toMatchObject({ mode: "content", numLines: 3, totalLines: 3, numFiles: 0, filenames: [] })
    expect((await run(grepTool, { ...asked, "-n": false }, context)).content).toBe(
      "a.txt:alpha\na.txt:alpha\nsrc/b.txt:alpha",
    )
    expect((await run(grepTool, { ...asked, pattern: "beta", "-C": 1 }, context)).content).toBe(
      "a.txt-1-alpha\na.txt:2:beta\na.txt-3-alpha",
    )
    expect((await run(grepTool, { ...asked, "-A": 0, "-B": 1 }, context)).content).toBe(
      "a.txt:1:alpha\na.txt-2-beta\na.txt:3:alpha\n--\nsrc/b.txt:1:alpha",
    )
    expect((await run(grepTool, { ...asked, pattern: "ph", "-o": true, glob: "*.txt !src/*" }, context)).content).toBe(
      "a.txt:1:ph\na.txt:3:ph",
    )
    expect((await run(grepTool, { ...asked, pattern: "BETA", "-i": true }, context)).content).toBe("a.txt:2:beta")
    expect((await run(grepTool, { ...asked, pattern: "none" }, context)).content).toBe("No matches found")
  })

  it("of one file returns lines without its name", async () => {
    const { context } = filled()
    const lines = async (input: object) => {
      const { content } = await run(grepTool, { pattern: "beta", output_mode: "content", ...input }, context)
      return content
    }
    expect(await lines({ path: "a.txt" })).toBe("2:beta")
    expect(await lines({ path: "/workspace/a.txt", "-n": false, "-B": 1 })).toBe("alpha\nbeta")
    expect(await lines({ glob: "a.txt" })).toBe("a.txt:2:beta")
    expect(await lines({ path: "a.txt", output_mode: "count" })).toContain("a.txt:1")
  })

  it("shows the lines of `context`, then of -C, then of -B and -A", async () => {
    const { context } = filled()
    const lines = async (input: object) => {
      const asked = { pattern: "beta", path: "a.txt", output_mode: "content", ...input }
      return (await run(grepTool, asked, context)).content
    }
    expect(await lines({ "-B": 1 })).toBe("1-alpha\n2:beta")
    expect(await lines({ "-B": 1, "-C": 0 })).toBe("2:beta")
    expect(await lines({ "-C": 0, context: 1 })).toBe("1-alpha\n2:beta\n3-alpha")
  })

  it("ignores a path, glob and type that are empty", async () => {
    const { context } = filled()
    const outcome = await run(grepTool, { pattern: "beta", path: "", glob: "", type: "" }, context)
    expect(outcome.content).toBe("Found 1 file\na.txt")
    expect((await run(globTool, { pattern: "a.*", path: "" }, context)).content).toBe("a.txt")
  })

  it("returns counts with their sum", async () => {
    const { context } = filled()
    const outcome = await run(grepTool, { pattern: "alpha", output_mode: "count" }, context)
    expect(outcome.content).toBe("a.txt:2\nsrc/b.txt:1\n\nFound 3 total occurrences across 2 files.")
    expect(outcome.output).toMatchObject({ mode: "count", numMatches: 3, numFiles: 2 })
  })

  it("pages with head_limit and offset", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/n", Array.from({ length: 600 }, (_, index) => `line ${index}\n`).join(""))
    const asked = { pattern: "line", output_mode: "content" }
    const first = await run(grepTool, asked, context)
    expect(first.output).toMatchObject({ numLines: 250, totalLines: 600, appliedLimit: 250 })
    expect(first.content).toMatch(/\(350 more\. Continue with offset 250\.\)$/)
    const second = await run(grepTool, { ...asked, head_limit: 2, offset: 598 }, context)
    expect(second.content).toBe("n:599:line 598\nn:600:line 599")
    expect(second.output).toMatchObject({ appliedOffset: 598 })
    expect((await run(grepTool, { ...asked, head_limit: 0 }, context)).output).toMatchObject({ numLines: 600 })
  })

  it("rejects a negative head_limit and a negative offset", async () => {
    const { context } = filled()
    for (const name of ["head_limit", "offset"]) {
      const error = await fails(grepTool, { pattern: "alpha", [name]: -1 }, context)
      expect(error.message).toBe(`${name} must be a whole number of 0 or more. Got -1.`)
    }
  })

  it.each([
    ["-A", -1],
    ["-B", 1.5],
    ["-C", -2],
    ["context", 0.5],
  ] as const)("fails when it runs if lines of context are asked for with %s: %d", async (name, lines) => {
    const { context } = filled()
    const asked = { pattern: "alpha", [name]: lines }
    const outcome = await fails(grepTool, { ...asked, output_mode: "content" }, context)
    expect(outcome.message).toBe(`${name} must be a whole number of 0 or more. Got ${lines}.`)
    expect((await run(grepTool, asked, context)).output).toMatchObject({ mode: "files_with_matches" })
  })

  it("matches every line with an empty pattern", async () => {
    const { context } = filled()
    const content = async (output_mode: string, more: object = {}) =>
      (await run(grepTool, { pattern: "", output_mode, ...more }, context)).content
    expect(await content("content", { path: "a.txt" })).toBe("1:alpha\n2:beta\n3:alpha")
    expect(await content("files_with_matches")).toBe("Found 2 files\nsrc/b.txt\na.txt")
    expect(await content("count", { path: "src/b.txt" })).toContain("src/b.txt:1\n")
  })

  it("distinguishes an offset after the end from a search without matches", async () => {
    const { context } = filled()
    const at = async (output_mode: string, pattern = "alpha") =>
      (await run(grepTool, { pattern, output_mode, offset: 10 }, context)).content
    expect(await at("content")).toBe("There is nothing at offset 10: 3 entries in all.")
    expect(await at("files_with_matches")).toBe("There is nothing at offset 10: 2 entries in all.")
    expect(await at("count")).toBe(
      "There is nothing at offset 10: 2 entries in all.\n\nFound 3 total occurrences across 2 files.",
    )
    expect(await at("content", "beta")).toBe("There is nothing at offset 10: 1 entry in all.")
    expect(await at("content", "none")).toBe("No matches found")
    expect(await at("files_with_matches", "none")).toBe("No files found")
    expect(await at("count", "none")).toBe("No matches found")
  })

  it("counts lines, even with -o", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/a", "x x\nx\n")
    const asked = { pattern: "x", output_mode: "count" }
    expect((await run(grepTool, { ...asked, "-o": true }, context)).content).toBe(
      (await run(grepTool, asked, context)).content,
    )
  })

  it("rejects unsupported patterns and unknown types", async () => {
    const { context } = filled()
    expect(await fails(grepTool, { pattern: "(" }, context)).toMatchObject({ reason: "invalid_arguments" })
    expect(await fails(grepTool, { pattern: "a", type: "nope" }, context)).toMatchObject({
      reason: "invalid_arguments",
    })
    expect(await fails(grepTool, { pattern: "a", path: "none" }, context)).toMatchObject({ reason: "not_found" })
    expect((await fails(grepTool, { pattern: "a", output_mode: "all" }, context)).message).toContain("`output_mode`")
  })

  it("searches ten thousand files in one pass", async () => {
    const { context, workspace } = openContext()
    for (let index = 0; index < 9_999; index += 1)
      workspace.writeBytes(`/workspace/d${index % 100}/f${index}.txt`, `text ${index}\nend\n`)
    const spent = cpuTime()
    expect((await run(grepTool, { pattern: "text 77\\b" }, context)).content).toBe("Found 1 file\nd77/f77.txt")
    const grepped = spent()
    expect((await run(globTool, { pattern: "**/*77.txt" }, context)).output).toMatchObject({ totalMatches: 100 })
    expect(grepped).toBeLessThan(4_000)
    expect(spent() - grepped).toBeLessThan(2_000)
  })
})

describe("a pattern that can't match as intended", () => {
  it.each([
    ["a\\nb", "line end"],
    ["a\nb", "line end"],
    ["(a|\\n)", "line end"],
    ["\\\\\\n", "line end"],
  ])("is rejected: a line end without multiline, %j", async (pattern, why) => {
    const { context } = filled()
    const refused = await fails(grepTool, { pattern }, context)
    expect(refused).toMatchObject({ reason: "invalid_arguments", message: expect.stringContaining(why) })
    expect(refused.message).toContain("multiline")
    expect((await run(grepTool, { pattern, multiline: true }, context)).isError).toBeUndefined()
  })

  it.each(["\\\\n", "[^\\n]+a", "[^\n]a", "[^a\\]\\n]l"])(
    "is not suspected: %j can match inside a line",
    async (pattern) => {
      const { context } = filled()
      expect((await run(grepTool, { pattern }, context)).isError).toBeUndefined()
    },
  )

  it.each([
    ["[a.txt", "[ without its ]"],
    ["{a,b.txt", "{ without its }"],
    ["a}.txt", "} without its {"],
    ["[!].txt", "[ without its ]"],
  ])("is rejected: an unbalanced bracket, %s", async (glob, why) => {
    const { context } = filled()
    const refused = { reason: "invalid_arguments", message: expect.stringContaining(why) }
    expect(await fails(globTool, { pattern: glob }, context)).toMatchObject(refused)
    expect(await fails(grepTool, { pattern: "alpha", glob: `*.txt,${glob}` }, context)).toMatchObject(refused)
    expect(await fails(listTool, { path: ".", ignore: [glob] }, context)).toMatchObject(refused)
  })

  it.each(["\\[a.txt", "[]]a.txt", "[[]a.txt", "\\{a.txt", "[{]a.txt", "a\\}.txt", "[]{}]a.txt"])(
    "is not suspected: %s has balanced brackets",
    async (pattern) => {
      const { context } = filled()
      expect((await run(globTool, { pattern }, context)).content).toBe("No files found")
    },
  )
})

describe("LS", () => {
  it("lists a directory with marks", async () => {
    const { context, workspace } = filled()
    workspace.symlink("a.txt", "/workspace/link")
    const outcome = await run(listTool, { path: "." }, context)
    expect(outcome.content).toBe("a.txt\nlink@\nsrc/")
    expect(outcome.output).toEqual({
      path: "/workspace",
      entries: [
        { name: "a.txt", type: "file", size: 17 },
        { name: "link", type: "symlink", size: 0 },
        { name: "src", type: "directory", size: 0 },
      ],
      truncated: false,
    })
    expect((await run(listTool, { path: "/workspace", ignore: ["*.txt", "link"] }, context)).content).toBe("src/")
  })

  it("distinguishes an empty working directory from a missing one", async () => {
    const { context } = openContext({ directories: [] })
    expect((await run(listTool, { path: "/workspace" }, context)).content).toBe("(The directory is empty.)")
    expect(await fails(listTool, { path: "/none" }, context)).toMatchObject({ reason: "not_found" })
    expect(await fails(listTool, {}, context)).toMatchObject({ reason: "invalid_arguments" })
  })
})

describe("TodoWrite", () => {
  it("replaces the list at the commit and not before", async () => {
    const opened = openContext()
    const todo = { content: "Do it", status: "pending", activeForm: "Doing it" } as const
    const outcome = await run(todoWriteTool, { todos: [todo] }, opened.context)
    expect(outcome.output).toEqual({ oldTodos: [], newTodos: [todo] })
    expect(opened.todos()).toEqual([])
    outcome.commit?.([])
    expect(opened.todos()).toEqual([todo])
    expect((await fails(todoWriteTool, { todos: [{ ...todo, status: "later" }] }, opened.context)).message).toContain(
      "`todos[0].status`",
    )
  })
})
