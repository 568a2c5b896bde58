// The emulated bash, just-bash: two fifths of the Worker's code, evaluated for the first script and not when the Worker starts.
// Invariant: it is loaded before any script is parsed or run.
type JustBash = typeof import("just-bash/browser")

let loaded: JustBash | null = null
let loading: Promise<void> | null = null

/** Loads the interpreter once. Returns null when it is already loaded, so that callers need not wait. */
export const loadInterpreter = (): Promise<void> | null => {
  if (loaded !== null) return null
  loading ??= import("just-bash/browser").then((module) => {
    loaded = module
  })
  return loading
}

export const interpreter = (): JustBash => {
  if (loaded === null) throw new Error("a script was read before `loadInterpreter` had resolved")
  return loaded
}

/**
 * Finds the prototype of just-bash's interpreter class, which is not exported. Its constructor binds `executeScript` to the new
 * instance: `bind` is intercepted for one empty script, which constructs an interpreter before anything is awaited.
 */
export const findPrototype = (): object | null => {
  const { Bash: Shell, InMemoryFs } = interpreter()
  // Restored below, before any other code runs.
  const { prototype } = Function
  const { bind } = prototype
  let found: object | null = null
  prototype.bind = function (this: CallableFunction, self: unknown, ...args: Array<unknown>) {
    if (typeof self === "object" && self !== null && "runCommand" in self && "executeUserScript" in self)
      // Only the interpreter has both methods.
      found ??= Object.getPrototypeOf(self) as object
    return bind.call(this, self, ...args) as unknown
  } as typeof bind
  try {
    void new Shell({ fs: new InMemoryFs(), commands: [], defenseInDepth: false }).exec(":")
  } finally {
    prototype.bind = bind
  }
  return found
}
