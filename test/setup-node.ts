// Loads the shell's interpreter, which a Worker loads at once: in Node the first import takes a third of a second. Properties
// are tested with the same values in each run, so that a failure is caused by a change. `PROPERTY_SEED=random` uses others,
// `PROPERTY_SEED=<seed>` those of a report.
import fc from "fast-check"
import { loadInterpreter } from "../src/shell/interpreter.ts"

const { PROPERTY_SEED: seed = "1" } = process.env
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) })

await loadInterpreter()
