// The state folders that earlier versions wrote, stored in test/fixtures/storage, and the expected content of their sessions.
import { execFileSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import zlib from "node:zlib"

const FOLDER = path.resolve(import.meta.dirname, "../../fixtures/storage")

export interface StoredSession {
  readonly id: string
  readonly title: string | null
  readonly state: string
  readonly turns: number
  readonly metadata: unknown
  readonly options: Readonly<Record<string, unknown>>
  readonly total_cost_usd: number
  readonly messages: number
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number; readonly type: string }>
  readonly events: ReadonlyArray<readonly [seq: number, name: string, uuid: string, turn: string | null, at: number]>
}

export interface StoredData {
  readonly root_key: string
  readonly tenant: string
  readonly key: string
  readonly erased: string
  readonly sessions: Readonly<
    Record<"work" | "fork" | "question" | "history" | "hooked" | "moved" | "cut", StoredSession>
  >
}

/** Names of the fixtures, one per stored version. */
export const storedVersions = (): ReadonlyArray<string> =>
  fs.readdirSync(FOLDER).flatMap((name) => (name.endsWith(".tar.br") ? [name.slice(0, -".tar.br".length)] : []))

/** Unpacks a fixture into a new folder. */
export const unpack = (version: string): { readonly state: string; readonly data: StoredData } => {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), "perch-stored-"))
  const tar = zlib.brotliDecompressSync(fs.readFileSync(path.join(FOLDER, `${version}.tar.br`)))
  execFileSync("tar", ["-C", state, "-xf", "-"], { input: tar })
  return { state, data: JSON.parse(fs.readFileSync(path.join(FOLDER, `${version}.json`), "utf8")) as StoredData } // ours
}
