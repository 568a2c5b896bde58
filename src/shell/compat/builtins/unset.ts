// `unset` of a variable that a function had declared as local: the interpreter still takes it for the local one after the
// function has returned, and restores the variable instead of removing it.
// Invariant: names of functions that are still running stay local.

import type { BuiltinResult } from "./builtins.ts"

/** The fields of the interpreter's state that are read and written here. */
export interface LocalState {
  readonly callDepth: number
  /** The depth of calls at which a name was declared as local. */
  readonly localVarDepth?: Map<string, number>
  readonly namerefs?: Set<string>
  readonly env: Map<string, string>
}

/** Removes references (`-n`), and forgets the locals of functions that have returned; the interpreter does the rest. */
export const unsetting = (
  { callDepth, localVarDepth, namerefs, env }: LocalState,
  args: ReadonlyArray<string>,
): BuiltinResult | null => {
  if (args[0] === "-n") {
    for (const name of args) if (namerefs?.delete(name) === true) env.delete(name)
    return { stdout: "", stderr: "", exitCode: 0 }
  }
  for (const name of args) if ((localVarDepth?.get(name) ?? 0) > callDepth) localVarDepth?.delete(name)
  return null
}
