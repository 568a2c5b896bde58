// `local -r`: the interpreter keeps the name read-only after its function has returned, so that the second call would fail, and
// in the functions that it calls, which may have a local of the same name. The same for `local -i`, `-l` and `-u`, whose values it
// would still calculate or change afterwards. A local without such an attribute does not have that of a global of the same name.
// Invariant: what `readonly` or `declare -g` gives an attribute keeps it.

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

/** The names with an attribute that changes what is assigned to them, by its letter. */
const KINDS = { i: "integerVars", l: "lowercaseVars", u: "uppercaseVars" } as const
const SETS = Object.values(KINDS)

/**
 * Records the names that `local` or `declare` makes local and gives an attribute in a function; the interpreter does the rest, but
 * for an attribute that is taken away (`declare +i`).
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

/** Runs a function; afterwards, only the locals of its callers have such attributes. */
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
