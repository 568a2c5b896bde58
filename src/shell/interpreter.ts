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
