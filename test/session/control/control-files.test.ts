// Requests of the control protocol about files.
import fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { policyOf } from "../../../src/permissions/policy.ts"
import { decodeControlAnswer } from "../../../src/schemas/sdk/control/control.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { fileSuggestions, isAsRead, readFileAnswer } from "../../../src/session/control/control-files.ts"
import { openWorkspace } from "../../workspace/sql-twin.ts"

const open = (options: SessionOptions = {}) => {
  const { workspace, clock } = openWorkspace()
  return { files: { workspace, cwd: "/workspace", policy: policyOf(options, []) }, workspace, clock }
}

const decoded = (answer: unknown): unknown => {
  expect(Result.getOrThrow(decodeControlAnswer("read_file", answer))).toStrictEqual(answer)
  return answer
}

describe("read_file", () => {
  it("returns the text of a path relative to the working directory, and reports it as exact", () => {
    const { files, workspace } = open()
    workspace.writeBytes("/workspace/d/a.txt", "\uFEFFhéllo \uFFFD\n")
    const answer = { contents: "\uFEFFhéllo \uFFFD\n", absPath: "/workspace/d/a.txt", lossy: false }
    expect(decoded(readFileAnswer(files, { path: "d/./a.txt" }))).toEqual(answer)
    expect(decoded(readFileAnswer(files, { path: "/workspace/d/a.txt", encoding: "utf-8" }))).toEqual(answer)
  })

  it("truncates at max_bytes and reports it, even inside a character", () => {
    const { files, workspace } = open()
    workspace.writeBytes("/workspace/a", "né")
    const read = (most: number) => decoded(readFileAnswer(files, { path: "a", max_bytes: most }))
    expect(read(2)).toEqual({ contents: "n\uFFFD", absPath: "/workspace/a", truncated: true, lossy: true })
    expect(read(1)).toEqual({ contents: "n", absPath: "/workspace/a", truncated: true, lossy: false })
    expect(read(3)).toEqual({ contents: "né", absPath: "/workspace/a", lossy: false })
    expect(read(0)).toEqual({ contents: "", absPath: "/workspace/a", truncated: true, lossy: false })
  })

  it("never sends more than 4,000,000 bytes, and 1,000,000 when no limit is given", () => {
    const { files, workspace } = open()
    workspace.writeBytes("/workspace/large", "x".repeat(4_000_001))
    const lengthOf = (request: object) =>
      String(Reflect.get(readFileAnswer(files, { path: "large", ...request }), "contents")).length
    expect(lengthOf({})).toBe(1_000_000)
    expect(lengthOf({ max_bytes: 1e9 })).toBe(4_000_000)
  })

  it("returns any bytes as base64, and reports whether a text is complete", () => {
    const { files, workspace } = open()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        workspace.writeBytes("/workspace/b", bytes)
        const base64 = decoded(readFileAnswer(files, { path: "b", encoding: "base64" }))
        expect(base64).toEqual({
          contents: Buffer.from(bytes).toString("base64"),
          absPath: "/workspace/b",
          encoding: "base64",
        })
        const text = decoded(readFileAnswer(files, { path: "b" })) as { contents: string; lossy: boolean }
        expect(text.lossy).toBe(Buffer.compare(Buffer.from(text.contents), bytes) !== 0)
      }),
    )
  })

  it("returns the reason when it can't answer", () => {
    const { files, workspace } = open({ disallowedTools: ["Read(./secret/**)"] })
    workspace.writeBytes("/workspace/secret/key", "k")
    workspace.writeBytes("/workspace/open/file", "k")
    workspace.symlink("secret/key", "/workspace/link")
    const errorOf = (path: string) => Reflect.get(readFileAnswer(files, { path }), "error")
    expect(errorOf("none")).toBe("ENOENT: no such file or directory, realpath '/workspace/none'")
    expect(errorOf("open")).toContain("EISDIR")
    expect(errorOf("secret")).toBe("A deny rule keeps /workspace/secret from being read.")
    expect(errorOf("secret/key")).toBe("A deny rule keeps /workspace/secret/key from being read.")
    expect(errorOf("link")).toBe("A deny rule keeps /workspace/link from being read.")
    expect(errorOf("a\0b")).toContain("EINVAL")
    expect(readFileAnswer(files, { path: "link", max_bytes: -1 })).toEqual({
      error: "read_file.max_bytes: can't be below 0",
    })
  })
})

describe("file_suggestions", () => {
  const paths = ["src/app.ts", "src/map.ts", "src/deep/apple/core.ts", "app.md", "README.md", ".git/app"]
  const suggest = (query: string, options: SessionOptions = {}) => {
    const { files, workspace } = open(options)
    for (const path of paths) workspace.writeBytes(`/workspace/${path}`, "x")
    workspace.mkdir("/workspace/empty")
    workspace.writeBytes("/elsewhere/app.ts", "x")
    return fileSuggestions(files, query).suggestions.map(({ displayText }) => displayText)
  }

  it("lists the working directory when nothing was typed", () => {
    expect(suggest("")).toEqual(["src/", "app.md", "empty/", "README.md"])
  })

  it("ranks names with the prefix first, then names and paths that contain it, then those with its letters in order", () => {
    expect(suggest("app")).toEqual(["app.md", "src/app.ts", "src/deep/apple/", "src/deep/apple/core.ts"])
    expect(suggest("SRC/M")).toEqual(["src/map.ts"])
    expect(suggest("./src/deep")).toEqual(["src/deep/", "src/deep/apple/", "src/deep/apple/core.ts"])
    expect(suggest("/workspace/read")).toEqual(["README.md"])
    expect(suggest("sdc")).toEqual(["src/deep/apple/core.ts"])
    expect(suggest("nowhere")).toEqual([])
  })

  it("does not list files that Read may not read", () => {
    expect(suggest("app", { disallowedTools: ["Read(src/**)"] })).toEqual(["app.md"])
    expect(suggest("app", { disallowedTools: ["Read"] })).toEqual([])
  })

  it("never lists more than 50 files, however many there are and whatever was typed", () => {
    const { files, workspace } = open()
    for (let index = 0; index < 60; index += 1) workspace.writeBytes(`/workspace/f${index}`, "")
    // Each of these has a thousand directories of its own above it.
    for (let index = 0; index < 30; index += 1) workspace.writeBytes(`/workspace/d${index}${"/x".repeat(1000)}`, "")
    expect(fileSuggestions(files, "f").suggestions).toHaveLength(50)
    expect(fileSuggestions(files, "").suggestions).toHaveLength(50)
    expect(fileSuggestions(files, "x".repeat(100)).suggestions).toHaveLength(50)
    expect(fileSuggestions(files, "y".repeat(100_000)).suggestions).toEqual([])
  })
})

describe("seed_read_state", () => {
  it("accepts a file that has not changed since it was read", () => {
    const { files, workspace, clock } = open()
    workspace.writeBytes("/workspace/a", "1")
    expect(isAsRead(files, { path: "a", mtime: clock.now })).toBe(true)
    expect(isAsRead(files, { path: "/workspace/a", mtime: clock.now - 1 })).toBe(false)
    clock.now += 10
    workspace.writeBytes("/workspace/a", "2")
    expect(isAsRead(files, { path: "a", mtime: clock.now - 10 })).toBe(false)
  })

  it("rejects a path that is not a file", () => {
    const { files, workspace, clock } = open()
    workspace.mkdir("/workspace/d")
    for (const path of ["none", "d", "a\0b"]) expect(isAsRead(files, { path, mtime: clock.now + 1 })).toBe(false)
  })
})
