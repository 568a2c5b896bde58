// The store of recordings in a SQLite file, for programs in Node, which has SQLite since 22.5.
// Invariant: the file is open as long as the layer's scope, and a recording is in it when `save` completes.
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RecordingStore } from "../recording-store.ts"
import { type SqliteStorage, sqliteStore } from "./sqlite-store.ts"

/** Creates the SQLite file if needed. A file that can't be opened is a defect, and so is a Node without SQLite. */
export const layerSqliteFile = (file: string): Layer.Layer<RecordingStore> =>
  Layer.effect(
    RecordingStore,
    Effect.gen(function* () {
      const { DatabaseSync: Database } = yield* Effect.orDie(
        Effect.tryPromise({
          try: () => import("node:sqlite"),
          catch: (cause) => new Error("layerSqliteFile needs Node 22.5 or later, which has node:sqlite.", { cause }),
        }),
      )
      const database = yield* Effect.acquireRelease(
        Effect.sync(() => new Database(file)),
        (opened) => Effect.sync(() => opened.close()),
      )
      return sqliteStore(storageOf(database))
    }),
  )

/** The part of a Durable Object's storage that the store uses. */
const storageOf = (database: DatabaseSync): SqliteStorage => ({
  sql: {
    exec: <Row>(query: string, ...bindings: ReadonlyArray<string | number | null>) => {
      // SQLite returns the columns that the query names, which `Row` describes.
      const rows = database.prepare(query).all(...bindings) as unknown as ReadonlyArray<Row>
      return {
        toArray: () => [...rows],
        one: () => {
          const [row] = rows
          if (row === undefined || rows.length > 1) throw new Error(`expected one row, got ${rows.length}`)
          return row
        },
      }
    },
  },
  transactionSync: (run) => {
    database.exec("BEGIN IMMEDIATE")
    try {
      const result = run()
      database.exec("COMMIT")
      return result
    } catch (error) {
      database.exec("ROLLBACK")
      throw error
    }
  },
})
