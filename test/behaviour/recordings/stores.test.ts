// The contract of every store of recordings: in memory, in SQLite, in files.
import fs from "node:fs"
import path from "node:path"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { RecordedAnswer } from "../../../src/recording/recording.ts"
import { memoryStore, type RecordingStore } from "../../../src/recording/recording-store.ts"
import { fileStore } from "../../../src/recording/stores/file-store.ts"
import { sqliteStore } from "../../../src/recording/stores/sqlite-store.ts"
import type { Signal } from "../../../src/schemas/signal.ts"
import { temporaryFolder } from "../../support/values/folder.ts"
import { openTwin } from "../../workspace/sql-twin.ts"

type Store = RecordingStore["Service"]

const signal = (n: number, payload: Signal["payload"] = { n }): Signal => ({
  id: `s${n}`,
  name: n % 2 === 0 ? "task:ready" : "task:completed",
  payload,
  timestamp: new Date(1_700_000_000_000 + n * 1000).toISOString(),
  ...(n === 0 ? {} : { source: { parent: `s${n - 1}` } }),
})

const SIGNALS = [signal(0), signal(1), signal(2)]

const ANSWERS: ReadonlyArray<RecordedAnswer> = [
  { kind: "model", hash: "aa", ordinal: 0, request: { $chunk: "c1" }, response: { text: 'é\u2028"' } },
  { kind: "model", hash: "aa", ordinal: 1, request: null, response: "second" },
]

describe.each<[string, () => Store]>([
  ["memory", () => memoryStore(new Map())],
  ["SQLite", () => sqliteStore(openTwin())],
  ["files", () => fileStore(path.join(temporaryFolder(), "recordings"))],
])("a store of recordings in %s", (_, open) => {
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

  it("returns what was saved, complete", async () => {
    const store = open()
    const extra = {
      metadata: { kind: "session", name: "A name", tags: ["a", "b"], createdAt: "2026-01-01T00:00:00.000Z" },
      answers: ANSWERS,
      chunks: { c1: { long: "x".repeat(2000) }, c2: [1, null] },
      checkpoints: [{ name: "half", index: 1, timestamp: "2026-01-01T00:00:01.000Z" }],
    } as const
    await run(store.save("first", SIGNALS, extra))
    const loaded = await run(store.load("first"))
    expect(loaded).toEqual({
      metadata: {
        ...extra.metadata,
        id: "first",
        signalCount: 3,
        finalized: true,
        durationMs: 2000,
        version: 1,
      },
      signals: SIGNALS,
      answers: ANSWERS,
      chunks: extra.chunks,
      checkpoints: extra.checkpoints,
    })
  })

  it("replaces a recording of the same id, and keeps nothing of the previous one", async () => {
    const store = open()
    await run(store.save("one", SIGNALS, { answers: ANSWERS, chunks: { c1: 1 } }))
    await run(store.save("one", SIGNALS.slice(0, 1)))
    expect(await run(store.load("one"))).toMatchObject({ signals: [SIGNALS[0]], answers: [], chunks: {} })
  })

  it("fails with an error that names a recording that was not saved, or was deleted", async () => {
    const store = open()
    await run(store.save("one", SIGNALS))
    expect(await run(store.exists("one"))).toBe(true)
    await run(store.delete("one"))
    await run(store.delete("one"))
    expect(await run(store.exists("one"))).toBe(false)
    const error = await run(Effect.flip(store.load("one")))
    expect(error).toMatchObject({ _tag: "RecordingNotFound", recording: "one", hash: "" })
    expect((await run(store.list())).recordings).toEqual([])
  })

  it("lists those with all tags by id, one page at a time", async () => {
    const store = open()
    for (const [index, id] of ["d", "b", "a", "c", "e"].entries()) {
      await run(store.save(id, SIGNALS, { metadata: { tags: index % 2 === 0 ? ["even", id] : [id] } }))
    }
    const ids: Array<string> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: { recordings: ReadonlyArray<{ id: string }>; next: string | null } = await run(
        store.list({ limit: 2, cursor }),
      )
      ids.push(...page.recordings.map(({ id }) => id))
      cursor = page.next
    }
    expect(ids).toEqual(["a", "b", "c", "d", "e"])
    const even = await run(store.list({ tags: ["even"] }))
    expect([even.recordings.map(({ id }) => id), even.next]).toEqual([["a", "d", "e"], null])
    expect((await run(store.list({ tags: ["even", "d"] }))).recordings.map(({ id }) => id)).toEqual(["d"])
  })

  it("preserves every JSON value, whatever its characters and its length", async () => {
    const store = open()
    const values = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes("__proto__"))
    const property = fc.asyncProperty(fc.array(values, { maxLength: 5 }), values, async (payloads, response) => {
      // JSON values only: no -0.
      const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as Signal["payload"]
      const signals = payloads.map((payload, n) => signal(n, json(payload)))
      const answers = [{ kind: "tool", hash: "h", ordinal: 0, request: null, response: json(response) }] as const
      await run(store.save("any", signals, { answers }))
      expect(await run(store.load("any"))).toMatchObject({ signals, answers })
    })
    await fc.assert(property, { numRuns: 25 })
    const long = [signal(0, `${"a".repeat(399_999)}😀${"語".repeat(900_000)}`)]
    await run(store.save("long", long))
    expect((await run(store.load("long"))).signals).toEqual(long)
  })
})

describe("recordings in files", () => {
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

  it("are one folder each, with one signal per line", async () => {
    const root = temporaryFolder()
    await run(fileStore(root).save("rec_1", SIGNALS, { checkpoints: [{ name: "x", index: 2, timestamp: "t" }] }))
    const read = (name: string) => fs.readFileSync(path.join(root, "rec_1", name), "utf8")
    expect(read("signals.jsonl")).toBe(SIGNALS.map((one) => `${JSON.stringify(one)}\n`).join(""))
    expect(JSON.parse(read("metadata.json"))).toMatchObject({ id: "rec_1", signalCount: 3, finalized: true })
    expect(JSON.parse(read("checkpoints.json"))).toEqual([{ name: "x", index: 2, timestamp: "t" }])
  })

  it("of other programs with the same files can be read", async () => {
    const root = temporaryFolder()
    fs.mkdirSync(path.join(root, "rec_2"))
    const metadata = {
      id: "rec_2",
      createdAt: "t",
      name: "n",
      tags: [],
      signalCount: 3,
      finalized: true,
      durationMs: 5,
    }
    fs.writeFileSync(path.join(root, "rec_2", "metadata.json"), JSON.stringify(metadata))
    fs.writeFileSync(path.join(root, "rec_2", "signals.jsonl"), SIGNALS.map((one) => JSON.stringify(one)).join("\n"))
    expect(await run(fileStore(root).load("rec_2"))).toMatchObject({
      metadata: { ...metadata, kind: "workflow" },
      signals: SIGNALS,
      checkpoints: [],
    })
  })

  it("are either the previous one or the new one wherever a save is interrupted, and the next save cleans up", async () => {
    const root = temporaryFolder()
    const store = fileStore(root)
    await run(store.save("one", SIGNALS))
    // A process that died while it wrote.
    fs.mkdirSync(path.join(root, ".unfinished-one-abc"))
    fs.writeFileSync(path.join(root, ".unfinished-one-abc", "metadata.json"), "{")
    expect(await run(store.load("one"))).toMatchObject({ signals: SIGNALS })
    // A process that died between the two renames.
    fs.renameSync(path.join(root, "one"), path.join(root, ".replaced-one"))
    expect(await run(store.load("one"))).toMatchObject({ signals: SIGNALS })
    expect((await run(store.list())).recordings.map(({ id }) => id)).toEqual(["one"])
    await run(store.save("one", SIGNALS.slice(1)))
    expect(await run(store.load("one"))).toMatchObject({ signals: SIGNALS.slice(1) })
    expect(fs.readdirSync(root)).toEqual(["one"])
  })

  it("that lack signals are not loaded as complete ones", async () => {
    const root = temporaryFolder()
    const store = fileStore(root)
    await run(store.save("one", SIGNALS))
    const [metadata, signals] = ["metadata.json", "signals.jsonl"].map((name) => path.join(root, "one", name))
    fs.writeFileSync(signals!, `${JSON.stringify(SIGNALS[0])}\n`)
    await expect(run(store.load("one"))).rejects.toThrow("signals.jsonl has 1 signals, and metadata.json counts 3.")
    // A program that died before it had counted them.
    fs.writeFileSync(metadata!, fs.readFileSync(metadata!, "utf8").replace('"finalized": true', '"finalized": false'))
    expect(await run(store.load("one"))).toMatchObject({
      metadata: { finalized: false, signalCount: 1 },
      signals: [SIGNALS[0]],
    })
    fs.rmSync(metadata!)
    expect(await run(Effect.flip(store.load("one")))).toMatchObject({ _tag: "RecordingNotFound" })
  })

  it("can't leave their folder with any id", async () => {
    const store = fileStore(temporaryFolder())
    for (const id of ["../x", "a/b", "", ".", "a".repeat(65)]) {
      for (const attempt of [store.save(id, SIGNALS), store.load(id), store.delete(id), store.exists(id)]) {
        await expect(Effect.runPromise<unknown, unknown>(attempt)).rejects.toThrow("A recording's id has 1 to 64")
      }
    }
  })

  it("name the file and the line that can't be parsed", async () => {
    const root = temporaryFolder()
    const store = fileStore(root)
    await run(store.save("one", SIGNALS))
    fs.appendFileSync(path.join(root, "one", "signals.jsonl"), '{"id":"s3","name"')
    await expect(run(store.load("one"))).rejects.toThrow("Line 4 of signals.jsonl is not readable.")
  })
})
