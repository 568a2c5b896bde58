import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { planOf, type Step } from "../../../src/model/offline/offline-plan.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

const plan = (prompt: string, lastPath: string | null = null) => planOf(prompt, { cwd: "/workspace", lastPath })
const write = (path: string, content: string): Step => ({ kind: "write", path, content })
const read = (path: string): Step => ({ kind: "read", path })
const list = (path: string): Step => ({ kind: "list", path })
const edit = (path: string, from: string, to: string, all = false): Step => ({ kind: "edit", path, from, to, all })
const run = (command: string): Step => ({ kind: "run", command })
const find = (pattern: string, path = "/workspace"): Step => ({ kind: "find", pattern, path })

describe("one request", () => {
  it.each<readonly [string, Step]>([
    ["create notes.txt with Hello there", write("/workspace/notes.txt", "Hello there")],
    ["Please create a new file called notes.txt with the text: buy milk.", write("/workspace/notes.txt", "buy milk.")],
    ['create "my notes.txt" containing `a, then read b`', write("/workspace/my notes.txt", "a, then read b")],
    ["write 'hi there' to sub/x.txt", write("/workspace/sub/x.txt", "hi there")],
    ["create /tmp/../etc/x with y", write("/etc/x", "y")],
    ["create a.md with ```md\n# Title\n\ntext\n```", write("/workspace/a.md", "# Title\n\ntext")],
    ["create poem.txt with it's a day and we write on", write("/workspace/poem.txt", "it's a day and we write on")],
    ["create an empty file z.txt", write("/workspace/z.txt", "")],
    ["list the files", list("/workspace")],
    ["ls", list("/workspace")],
    ["show me all the files", list("/workspace")],
    ["list the files in src.", list("/workspace/src")],
    ["read notes.txt", read("/workspace/notes.txt")],
    ["Show me the contents of ./a/../b.txt?", read("/workspace/b.txt")],
    ["read the file notes", read("/workspace/notes")],
    ["cat README", read("/workspace/README")],
    ["replace foo with bar in notes.txt", edit("/workspace/notes.txt", "foo", "bar")],
    ['replace all "a.b" with "" in /x.txt', edit("/x.txt", "a.b", "", true)],
    ["change `let x` to `const x` everywhere in a.ts", edit("/workspace/a.ts", "let x", "const x", true)],
    ["run `ls -la`", run("ls -la")],
    ["run the command echo hi", run("echo hi")],
    ["execute `grep -c x a.txt && cat a.txt`.", run("grep -c x a.txt && cat a.txt")],
    ["find TODO in the files", find("TODO")],
    ['search for "f(x)*" in all files', find("f\\(x\\)\\*")],
    ["grep foo in src/a.ts", find("foo", "/workspace/src/a.ts")],
  ])("%s", (prompt, step) => {
    expect(plan(prompt)).toEqual({ steps: [step], unclear: null })
  })
})

describe("paths", () => {
  it.each([
    ["a/./b/../c.txt", "/workspace/a/c.txt", "a/c.txt"],
    ["../../../x.txt", "/x.txt", "../../../x.txt"],
    ["/a/../../x.txt", "/x.txt", "/x.txt"],
  ])("%s is %s, or %s where the directory is not known", (name, absolute, relative) => {
    expect(plan(`read ${name}`).steps).toEqual([read(absolute)])
    expect(planOf(`read ${name}`, { cwd: ".", lastPath: null }).steps).toEqual([read(relative)])
    expect(planOf("list the files", { cwd: ".", lastPath: null }).steps).toEqual([list(".")])
  })
})

describe("chains", () => {
  it.each<readonly [string, ReadonlyArray<Step>]>([
    [
      "create hello.txt with Hello, then read it back",
      [write("/workspace/hello.txt", "Hello"), read("/workspace/hello.txt")],
    ],
    [
      "create a.txt with one and then list the files and run `wc a.txt`.",
      [write("/workspace/a.txt", "one"), list("/workspace"), run("wc a.txt")],
    ],
    [
      "1. create a.txt with one\n2. replace one with two in it\n3. read it",
      [write("/workspace/a.txt", "one"), edit("/workspace/a.txt", "one", "two"), read("/workspace/a.txt")],
    ],
    ["- read a.txt\n- read b.txt", [read("/workspace/a.txt"), read("/workspace/b.txt")]],
    [
      "Read a.txt. Then find x in the files; finally show me the file.",
      [read("/workspace/a.txt"), find("x"), read("/workspace/a.txt")],
    ],
  ])("%s", (prompt, steps) => {
    expect(plan(prompt)).toEqual({ steps, unclear: null })
  })

  it("'it' is the last file of the conversation until the prompt names one", () => {
    expect(plan("read it", "/workspace/old.txt").steps).toEqual([read("/workspace/old.txt")])
    expect(plan("read it")).toEqual({ steps: [], unclear: "read it" })
  })

  it("ends at the first part that is not understood", () => {
    expect(plan("read a.txt, then read the room")).toEqual({
      steps: [read("/workspace/a.txt")],
      unclear: "read the room",
    })
  })

  it("has at most twenty steps", () => {
    expect(plan(Array.from({ length: 30 }, () => "read a.txt").join(", then ")).steps).toHaveLength(20)
  })
})

describe("a prompt that is not understood", () => {
  it.each([
    "what is the weather?",
    "hello",
    "make me a sandwich",
    "write a poem about rain",
    "tell me how to create a file",
    "",
    "   ",
  ])("%j", (prompt) => {
    expect(plan(prompt).steps).toEqual([])
    expect(plan(prompt).unclear).toBe(prompt.trim())
  })

  it("any text is parsed without failing, and long ones quickly", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => void plan(text)))
    for (const unit of ["create ", " and then", "replace a with ", "'", '"', "the ", " in", "\n - ", "."]) {
      const spent = cpuTime()
      plan(unit.repeat(Math.floor(20_000 / unit.length)))
      plan(`create a.txt with ${unit.repeat(Math.floor(19_000 / unit.length))}`)
      plan(`find ${unit.repeat(Math.floor(19_000 / unit.length))}`)
      expect(spent()).toBeLessThan(4_000)
    }
  })

  it.each([
    "replace",
    "replace a",
    "replace a with b",
    "write",
    "write a",
    "find",
    "find a",
    "create a",
    "read me",
    "list",
  ])("runs of spaces after %j are read quickly", (beginning) => {
    const spaces = " ".repeat(1000)
    const spent = cpuTime()
    for (const word of ["with", "to", "in", "the", "b"]) plan(`${beginning}${spaces}${word}${spaces}b`)
    expect(spent()).toBeLessThan(4_000)
  })
})
