// `unset` of a variable that a function had declared as local: the interpreter still takes it for the local one after the
// function has returned, and restores the variable instead of removing it.
// Invariant: names of functions that are still running stay local.

/** The fields of the interpreter's state that are read and written here. */
export interface LocalState {
  readonly callDepth: number
  /** The depth of calls at which a name was declared as local. */
  readonly localVarDepth?: Map<string, number>
}

/** Forgets the locals of functions that have returned; the interpreter does the rest. */
export const unsetting = ({ callDepth, localVarDepth }: LocalState, args: ReadonlyArray<string>): null => {
  for (const name of args) if ((localVarDepth?.get(name) ?? 0) > callDepth) localVarDepth?.delete(name)
  return null
}
