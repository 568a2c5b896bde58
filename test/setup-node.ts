// Loads the shell's interpreter, as a Worker does within a moment: in Node the first import takes a third of a second.
import { loadInterpreter } from "../src/shell/interpreter.ts"

await loadInterpreter()
