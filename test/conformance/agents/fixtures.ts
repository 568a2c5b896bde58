// The recordings of the scenarios of agents and tasks.
import fs from "node:fs"
import path from "node:path"
import type { Digest } from "./digest/digest.ts"

export const FIXTURES = path.join(import.meta.dirname, "../fixtures/agents")

export const recordedDigest = (name: string): Digest =>
  JSON.parse(fs.readFileSync(path.join(FIXTURES, `${name}.json`), "utf8")) as Digest // what formatDigest wrote
