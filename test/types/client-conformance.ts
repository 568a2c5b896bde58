// Compares the client's types with the official SDK's: perch() returns what query() accepts. Nothing runs here: `tsc -p test`
// is the test.
import type { Options, SpawnedProcess, SpawnOptions } from "@anthropic-ai/claude-agent-sdk"
import type {
  perch,
  spawnPerch,
  SpawnedProcess as OurProcess,
  SpawnOptions as OurOptions,
} from "../../src/client/spawn.ts"
import type { Check, Fits } from "./compare.ts"

export type EveryDoor = Check<{
  options: Fits<SpawnOptions, OurOptions>
  process: Fits<OurProcess, SpawnedProcess>
  spawn: Fits<ReturnType<typeof spawnPerch>, NonNullable<Options["spawnClaudeCodeProcess"]>>
  perch: Fits<ReturnType<typeof perch>, Options>
}>
