// `npm run check`: types, lint, format, unused exports, the layout of the repository and the API's document. Returns 0 if no
// step finds anything. Invariant: a step only reads files, and changes none that another one reads.
import { availableParallelism } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { runSteps } from "./run-steps.mjs"

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))

/**
 * Sorted by duration, longest first. The compiler uses one thread, because the other steps use the other cores: with several
 * threads it needs 50 % more processor time.
 */
const STEPS = [
  "node scripts/openapi/check.mjs",
  "tsc --singleThreaded --noEmit -p test",
  "tsc --singleThreaded --noEmit",
  "knip --production",
  "oxlint",
  "tsc --singleThreaded --noEmit -p src/console",
  "tsc --singleThreaded --noEmit -p tsconfig.examples.json",
  "tsc --singleThreaded --noEmit -p src/client",
  "oxfmt --check",
  "node scripts/check/structure.mjs",
]

process.chdir(ROOT)
const bin = path.join(ROOT, "node_modules/.bin")
const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` }
const passed = await runSteps(STEPS, { atOnce: availableParallelism(), env, print: console.log })
process.exit(passed ? 0 : 1)
