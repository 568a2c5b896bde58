// Loads the shell's interpreter, as a Worker does within a moment: in Node the first import takes a third of a second.
// Properties are tried with the same values at each run, so that what fails is what a change has broken.
// `PROPERTY_SEED=random` tries others, `PROPERTY_SEED=<seed>` those of a report.
import fc from "fast-check"
import { loadInterpreter } from "../src/shell/interpreter.ts"

const { PROPERTY_SEED: seed = "1" } = process.env
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) })

await loadInterpreter()
