// Recordings in a SQLite file: they outlive the program that saved them.
import { Effect } from "effect"
import path from "node:path"
import { expect, it } from "vitest"
import { RecordingStore } from "../../../src/recording/recording-store.ts"
import { layerSqliteFile } from "../../../src/recording/stores/sqlite-file.ts"
import { temporaryFolder } from "../../support/values/folder.ts"

const TIME = "2026-01-01T00:00:00.000Z"
const signals = ["workflow:start", "a"].map((name, n) => ({ id: `s${n}`, name, payload: { n }, timestamp: TIME }))

it("stores recordings in its file, replaces them completely, and has no deleted one", async () => {
  const file = path.join(temporaryFolder(), "recordings.db")
  const using = <A, E>(use: (store: RecordingStore["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.provide(Effect.flatMap(RecordingStore, use), layerSqliteFile(file)))
  await using((store) => store.save("one", signals))
  await using((store) => store.save("one", signals.slice(1)))
  await using((store) => store.save("two", signals))
  expect((await using((store) => store.load("one"))).signals).toEqual(signals.slice(1))
  await using((store) => store.delete("two"))
  expect((await using((store) => store.list())).recordings.map(({ id }) => id)).toEqual(["one"])
  expect(await using((store) => Effect.flip(store.load("two")))).toMatchObject({ _tag: "RecordingNotFound" })
})

it("keeps the previous recording if the new one can't be written", async () => {
  const file = path.join(temporaryFolder(), "recordings.db")
  const kept = await Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* RecordingStore
      yield* store.save("one", signals)
      // The metadata is written last, and is not JSON here.
      const failed = yield* Effect.exit(store.save("one", signals, { metadata: { tags: [1n] as never } }))
      return { failed: failed._tag, signals: (yield* store.load("one")).signals }
    }).pipe(Effect.provide(layerSqliteFile(file))),
  )
  expect(kept).toEqual({ failed: "Failure", signals })
})
