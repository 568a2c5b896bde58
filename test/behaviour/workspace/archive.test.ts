import fc from "fast-check"
import { packTar, type TarEntry, unpackTar } from "modern-tar"
import { describe, expect, it } from "vitest"
import { exportArchive } from "../../../src/workspace/archive/archive-export.ts"
import { importArchive } from "../../../src/workspace/archive/archive-import.ts"
import type { Workspace } from "../../../src/workspace/workspace.ts"
import { openWorkspace } from "../../workspace/sql-twin.ts"

const bytesOf = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array> =>
  new Uint8Array(await new Response(stream).arrayBuffer())

/** A stream of the bytes in chunks of a size that is aligned with no block. */
const streamOf = (bytes: Uint8Array, piece = 700): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    pull(out) {
      if (at >= bytes.length) return out.close()
      out.enqueue(bytes.slice(at, at + piece))
      at += piece
    },
  })
}

const tree = (workspace: Workspace) =>
  workspace.nodes
    .below("/")
    .map(([path, { type, mode, mtime, hash, target }]) => ({ path, type, mode, mtime, hash, target }))

const file = (name: string, body: string, header: Partial<TarEntry["header"]> = {}): TarEntry => ({
  header: { name, type: "file", size: Buffer.byteLength(body), mtime: new Date(5000), ...header },
  body,
})
const link = (name: string, linkname: string, type: "symlink" | "link" = "symlink"): TarEntry => ({
  header: { name, type, size: 0, linkname },
})

const take = async (workspace: Workspace, entries: ReadonlyArray<TarEntry>, path = "/workspace") =>
  importArchive(workspace, path, streamOf(await packTar(entries)))

const stored = (opened: ReturnType<typeof openWorkspace>) =>
  opened.twin.database.prepare("SELECT COUNT(*) AS rows FROM blobs").get()?.["rows"]

describe("an archive", () => {
  it("of a workspace recreates the same tree elsewhere: modes, milliseconds, links, long and unusual names", async () => {
    const { workspace } = openWorkspace()
    workspace.writeBytes("/workspace/a b/ü.txt", "text")
    workspace.writeBytes("/workspace/empty", "")
    workspace.writeBytes(`/workspace/${"deep/".repeat(60)}${"n".repeat(255)}`, "long")
    workspace.writeBytes(
      "/workspace/large",
      Uint8Array.from({ length: 3_100_000 }, (_, index) => index % 251),
    )
    workspace.writeBytes("/workspace/run", "#!/bin/sh\n")
    workspace.chmod("/workspace/run", 0o755)
    workspace.utimes("/workspace/run", 1_234_567)
    workspace.mkdir("/workspace/dir")
    workspace.chmod("/workspace/dir", 0o700)
    workspace.symlink("run", "/workspace/rel")
    workspace.symlink("/workspace/dir", "/workspace/abs")
    workspace.symlink("/nowhere", "/workspace/dangling")
    const archive = await bytesOf(exportArchive(workspace, "/"))
    const copy = openWorkspace().workspace
    const report = await importArchive(copy, "/", streamOf(archive, 100_003))
    expect(report).toEqual({ files: 5, directories: 1, links: 3, bytes: 3_100_018 })
    const links = (one: ReturnType<typeof tree>) =>
      one.map((node) => (node.type === "symlink" ? { ...node, mtime: 0 } : node))
    expect(links(tree(copy))).toEqual(links(tree(workspace)))
  })

  it("of a directory contains what is below it; of a file only the file", async () => {
    const { workspace } = openWorkspace()
    workspace.writeBytes("/workspace/src/a", "1")
    workspace.writeBytes("/other", "2")
    const names = async (path: string) =>
      (await unpackTar(await bytesOf(exportArchive(workspace, path)))).map(({ header }) => header.name)
    expect(await names("/workspace")).toEqual(["src/a"])
    expect(await names("/workspace/src/a")).toEqual(["a"])
    expect(await names("/tmp")).toEqual([])
    expect(() => exportArchive(workspace, "/none")).toThrow("ENOENT")
  })

  it("is a snapshot of the moment of the request, and is read no faster than it is consumed", async () => {
    const { workspace } = openWorkspace()
    for (let index = 0; index < 40; index += 1) workspace.writeBytes(`/f/${index}`, `${index}`.padEnd(1_000_000, "x"))
    const reads: Array<string> = []
    const { chunkOf } = workspace.blobs
    workspace.blobs.chunkOf = (hash, chunk) => {
      reads.push(hash)
      return chunkOf.call(workspace.blobs, hash, chunk)
    }
    const archive = exportArchive(workspace, "/f")
    const reader = archive.getReader()
    await reader.read()
    await reader.read()
    expect(reads.length).toBeLessThanOrEqual(2)
    workspace.remove("/f", { recursive: true })
    let size = 0
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) size += piece.value.byteLength
    expect(size).toBeGreaterThan(37_000_000)
    expect(reads).toHaveLength(40)
  })

  it("is extracted below a path, over what is there", async () => {
    const { workspace } = openWorkspace()
    workspace.writeBytes("/workspace/in/keep", "k")
    workspace.writeBytes("/workspace/in/old", "o")
    workspace.symlink("/elsewhere", "/workspace/in/link")
    const entries = [
      file("old", "new"),
      file("./sub/x", "y"),
      file("link", "a file now"),
      link("hard", "sub/x", "link"),
    ]
    expect(await take(workspace, entries, "/workspace/in")).toEqual({ files: 4, directories: 0, links: 0, bytes: 14 })
    const texts = ["keep", "old", "sub/x", "link", "hard"].map((name) => workspace.readText(`/workspace/in/${name}`))
    expect(texts).toEqual(["k", "new", "y", "a file now", "y"])
    expect(workspace.exists("/elsewhere")).toBe(false)
    expect(workspace.stat("/workspace/in/old").mtime).toBe(5000)
  })

  it.each<readonly [string, ReadonlyArray<TarEntry>, string]>([
    ["an absolute name", [file("/etc/passwd", "x")], "absolute"],
    ["a name that climbs", [file("a/../../b", "x")], "has .. in its name"],
    ["a link out", [link("l", "../etc")], "points out"],
    ["a link above the root", [link("l", "../../../../etc")], "above the root"],
    ["an absolute link out", [link("l", "/etc")], "points out"],
    ["a hard link out", [link("l", "../etc", "link")], "has .. in its name"],
    ["a hard link to nothing", [link("l", "none", "link")], "ENOENT"],
    ["a file through a link that was there", [file("out/x", "x")], "through a link"],
    ["a device", [{ header: { name: "d", type: "character-device", size: 0 } }], "character-device"],
    ["a pipe", [{ header: { name: "d", type: "fifo", size: 0 } }], "fifo"],
    ["a file where a directory is", [file("dir", "x")], "EISDIR"],
    ["a file below a file", [file("f", "x"), file("f/g", "x")], "ENOTDIR"],
    ["a name with a NUL", [file("f", "x", { pax: { path: "a\0b" } })], "a NUL character, open 'a\\u0000b'"],
    ["a name of 5,000 bytes", [file("f", "x", { pax: { path: "a/".repeat(2500) } })], "longer than 4096 bytes"],
    ["a link text of 5,000 bytes", [link("l", "a/".repeat(2500))], "longer than 4096 bytes"],
    ["a name that is too long", [file("n".repeat(256), "x")], "255 bytes"],
    ["a file that is too large", [file("f", "x".repeat(51))], "50 bytes"],
    ["too many bytes", [file("f", "x".repeat(40)), file("g", "y".repeat(50)), file("h", "z".repeat(50))], "100 bytes"],
    ["too many files", Array.from({ length: 9 }, (_, index) => file(`${index}`, "")), "maximum of 8 files"],
  ])("with %s is refused, and nothing of it stays", async (_, entries, message) => {
    const opened = openWorkspace({ quotas: () => ({ maxFiles: 8, maxBytes: 100, maxFileBytes: 50 }) })
    const { workspace } = opened
    workspace.writeBytes("/workspace/dir/inside", "i")
    workspace.writeBytes("/workspace/shared", "shared content")
    workspace.symlink("/tmp", "/workspace/out")
    const [before, blobs] = [tree(workspace), stored(opened)]
    const good = [file("good", "good content"), file("same", "shared content")]
    await expect(take(workspace, [...good, ...entries])).rejects.toThrow(message)
    expect(tree(workspace)).toEqual(before)
    expect(workspace.totals()).toEqual({ nodes: 3, bytes: 15, links: 1 })
    expect(stored(opened)).toBe(blobs)
    expect(workspace.readText("/workspace/shared")).toBe("shared content")
  })

  it("that is broken, truncated or no archive at all is rejected, and nothing of it stays", async () => {
    const opened = openWorkspace()
    const archive = await packTar([file("a", "a".repeat(1000)), file("b", "b".repeat(1000))])
    const broken = archive.slice()
    broken[1540] = 0x7f
    const refused = [
      archive.slice(0, 1200),
      archive.slice(0, 2000),
      broken,
      new TextEncoder().encode("no archive".repeat(100)),
    ]
    for (const bytes of refused) {
      await expect(importArchive(opened.workspace, "/", streamOf(bytes))).rejects.toThrow("tar archive")
    }
    const dies = new ReadableStream<Uint8Array>({
      start: (out) => out.enqueue(archive.slice(0, 2000)),
      pull: (out) => out.error(new Error("the client has gone")),
    })
    await expect(importArchive(opened.workspace, "/", dies)).rejects.toThrow("the client has gone")
    expect([opened.workspace.totals().nodes, stored(opened)]).toEqual([0, 0])
  })

  it.each([
    ["a sparse file", "S", {}, '"s" is stored as a sparse file'],
    ["a sparse file in POSIX format", "0", { "GNU.sparse.major": "1" }, '"s" is stored as a sparse file'],
    ["a part of a file", "M", {}, '"s" is the continuation of a file of another archive'],
  ])("with %s is rejected, since its content is not the file's", async (_, type, pax, message) => {
    const opened = openWorkspace()
    const archive = await packTar([file("a", "S".repeat(1000)), file("s", "content", { pax })])
    const header = archive.subarray(archive.length - 4 * 512, archive.length - 3 * 512)
    const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
    header.set(new TextEncoder().encode((sum - 48 + type.charCodeAt(0)).toString(8).padStart(6, "0")), 148)
    header[156] = type.charCodeAt(0)
    await expect(importArchive(opened.workspace, "/", streamOf(archive))).rejects.toThrow(message)
    expect([opened.workspace.totals().nodes, stored(opened)]).toEqual([0, 0])
  })

  it("keeps the content that another client has written meanwhile", async () => {
    const opened = openWorkspace()
    const archive = await packTar([file("a", "the same"), file("../b", "x")])
    let first = true
    const slow = new ReadableStream<Uint8Array>(
      {
        pull(out) {
          if (!first) opened.workspace.writeBytes("/mine", "the same")
          out.enqueue(first ? archive.slice(0, 1024) : archive.slice(1024))
          if (!first) out.close()
          first = false
        },
      },
      { highWaterMark: 0 },
    )
    await expect(importArchive(opened.workspace, "/", slow)).rejects.toThrow("has .. in its name")
    expect(opened.workspace.readText("/mine")).toBe("the same")
    expect(opened.workspace.totals().nodes).toBe(1)
  })

  it("of any bytes is either extracted or leaves the tree unchanged", async () => {
    const good = await packTar([file("a", "text"), link("l", "a"), file("d/e", "x".repeat(600))])
    const change = fc.record({ at: fc.nat(good.length - 1), byte: fc.nat(255) })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 6 }), fc.nat(good.length), async (changes, cut) => {
        const opened = openWorkspace()
        const bytes = good.slice(0, cut % 3 === 0 ? good.length : cut)
        for (const { at, byte } of changes) if (at < bytes.length) bytes[at] = byte
        const taken = await importArchive(opened.workspace, "/workspace", streamOf(bytes)).then(
          () => true,
          () => false,
        )
        const paths = opened.workspace.nodes.below("/").map(([path]) => path)
        if (!taken) expect([paths, stored(opened)]).toEqual([[], 0])
        for (const path of paths) expect(path.startsWith("/workspace/")).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})

describe("records before an entry", () => {
  /** A header as GNU tar writes it. */
  const record = (type: string, size: number): Uint8Array => {
    const block = new Uint8Array(512)
    const put = (text: string, at: number) => new TextEncoder().encodeInto(text, block.subarray(at))
    put("././@LongLink", 0)
    for (const [at, text] of [
      [100, "0000644"],
      [108, "0000000"],
      [116, "0000000"],
      [124, size.toString(8).padStart(11, "0")],
      [136, "00000000000"],
    ] as const)
      put(text, at)
    put(type, 156)
    put("ustar\x0000", 257)
    put("        ", 148)
    const sum = block.reduce((total, byte) => total + byte, 0)
    put(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
    return block
  }
  const BLOCK = new Uint8Array(65_536).fill(97)

  /** `count` records of `size` bytes each, and a counter of how much of them was read. */
  const bomb = (type: string, size: number, count: number) => {
    const read = { bytes: 0 }
    const pieces = (function* () {
      for (let index = 0; index < count; index += 1) {
        yield record(type, size)
        const padded = Math.ceil(size / 512) * 512
        for (let at = 0; at < padded; at += BLOCK.length) yield BLOCK.subarray(0, Math.min(BLOCK.length, padded - at))
      }
      yield record("0", 0)
      yield new Uint8Array(1024)
    })()
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(out) {
          const { done, value } = pieces.next()
          if (done === true) return out.close()
          read.bytes += value.length
          out.enqueue(value)
        },
      },
      { highWaterMark: 0 },
    )
    return { read, stream }
  }

  const BOMBS = ["L", "K", "x", "g"].flatMap((type) => [
    [type, 300 << 20, 1] as const,
    [type, 5 << 20, 1] as const,
    [type, 200 << 10, 1000] as const,
    [type, 100, 100_000] as const,
  ])
  it.each(BOMBS)(
    "of type %s with %i bytes, %i of them, are rejected before much of them is read",
    async (type, size, count) => {
      const opened = openWorkspace()
      const { read, stream } = bomb(type, size, count)
      await expect(importArchive(opened.workspace, "/workspace", stream)).rejects.toThrow(
        "an entry's name and attributes are longer than 262144 bytes",
      )
      expect(read.bytes).toBeLessThan(1 << 20)
      expect(tree(opened.workspace)).toEqual([])
    },
  )

  it("of a long name and its attributes are accepted, with any padding at the end", async () => {
    const { workspace } = openWorkspace()
    const name = `${"d".repeat(200)}/${"n".repeat(200)}`
    const archive = await packTar([file(name, "x", { pax: { comment: "c".repeat(100_000) } })])
    const padded = new Uint8Array(archive.length + (2 << 20))
    padded.set(archive)
    await importArchive(workspace, "/workspace", streamOf(padded, 100_000))
    expect(workspace.readText(`/workspace/${name}`)).toBe("x")
  })
})
