// The recordings of scenarios: one folder per family.
import fs from "node:fs"
import path from "node:path"
import type { Digest } from "./digest/digest.ts"

export type Family = "agents" | "compaction"

export const recordingOf = (name: string, family: Family = "agents"): string =>
  path.join(import.meta.dirname, "../fixtures", family, `${name}.json`)

export const recordedDigest = (name: string, family: Family = "agents"): Digest =>
  JSON.parse(fs.readFileSync(recordingOf(name, family), "utf8")) as Digest // written by formatDigest
