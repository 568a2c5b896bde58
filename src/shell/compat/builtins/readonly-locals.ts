// Ends the attributes of local variables with their function. The interpreter keeps a name of `local -r` read-only when the function
// has returned, so that a second call fails, and in the functions that it calls, which may have a local of the same name. It also
// keeps calculating or converting what is assigned to names of `local -i`, `-l` and `-u`, and gives a local the attributes of a
// global of the same name.
// Invariant: attributes that `readonly` or `declare -g` gives a variable stay when the function returns.

import type { LocalState } from "./unset.ts"

interface Local {
  readonly name: string
  /** The depth of calls at which it was declared. */
  readonly depth: number
  /** True if the name is a read-only local of a calling function. */
  readonly outer: boolean
}

/** The fields of the interpreter's state that are read and written here. */
export interface ReadonlyState extends LocalState {
  readonlyVars?: Set<string>
  integerVars?: Set<string>
  lowercaseVars?: Set<string>
  uppercaseVars?: Set<string>
  /** The locals of the running functions that are read-only, or have the name of such a local. */
  readonlyLocals?: Array<Local>
}

/** The sets of names whose values are calculated or converted, by the option that adds a name. */
const KINDS = { i: "integerVars", l: "lowercaseVars", u: "uppercaseVars" } as const
const SETS = Object.values(KINDS)

/**
 * Records which names get an attribute as locals of a function from `local` or `declare`, before the interpreter sets it. Removes
 * an attribute (`declare +i`), which the interpreter does not.
 */
export const declaring = (state: ReadonlyState, args: ReadonlyArray<string>): null => {
  const taken = args.filter((arg) => /^\+[ilu]+$/.test(arg)).join("")
  for (const [letter, set] of Object.entries(KINDS))
    if (taken.includes(letter)) for (const arg of args) state[set]?.delete(arg)
  const options = args.filter((arg) => /^-[a-zA-Z]+$/.test(arg)).join("")
  if (state.callDepth === 0 || options.includes("g")) return null
  const locals = (state.readonlyLocals ??= [])
  for (const arg of args) {
    const [name = ""] = /^[A-Za-z_]\w*/.exec(arg) ?? []
    const outer = locals.some((local) => local.name === name && local.depth < state.callDepth)
    if (outer) state.readonlyVars?.delete(name)
    const isNew = !locals.some((local) => local.name === name && local.depth === state.callDepth)
    const hides = isNew && SETS.filter((set) => state[set]?.delete(name)).length > 0
    if (outer || hides || (/[rilu]/.test(options) && name !== "" && state.readonlyVars?.has(name) !== true))
      locals.push({ name, depth: state.callDepth, outer })
  }
  return null
}

/** The same for `readonly` of names that are local. */
export const freezing = (state: ReadonlyState, args: ReadonlyArray<string>): null => {
  const isLocal = (arg: string): boolean =>
    state.localVarDepth?.get(/^\w+/.exec(arg)?.[0] ?? "") === state.callDepth && state.callDepth > 0
  return declaring(state, ["-r", ...args.filter(isLocal)])
}

/** Runs a function, and then removes the attributes of its locals. */
export const released = async (state: ReadonlyState, run: () => Promise<unknown>): Promise<unknown> => {
  const before = SETS.map((set) => new Set(state[set]))
  try {
    return await run()
  } finally {
    const locals = state.readonlyLocals ?? []
    for (let last = locals.at(-1); last !== undefined && last.depth > state.callDepth; last = locals.at(-1)) {
      if (last.outer) state.readonlyVars?.add(last.name)
      else state.readonlyVars?.delete(last.name)
      for (const [at, set] of SETS.entries())
        if (before[at]?.has(last.name) === true) state[set]?.add(last.name)
        else state[set]?.delete(last.name)
      locals.pop()
    }
  }
}
