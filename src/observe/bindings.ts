// Receives the Worker's environment; returns the names of the bindings that it lacks.
// Invariant: no binding is called, so that the check costs nothing and works while everything behind the Worker is unavailable.
import type { Env } from "../schemas/env.ts"

/** The bindings that wrangler.toml must declare, each with a method that a binding of its kind has. */
const BINDINGS = {
  SESSIONS: "getByName",
  TENANTS: "getByName",
  LANES: "getByName",
  WEBHOOKS: "getByName",
  WORKFLOWS: "getByName",
  RECORDINGS: "getByName",
  DB: "prepare",
  HOOKS: "send",
  ASSETS: "fetch",
} as const satisfies Partial<Record<keyof Env, string>>

/** The bindings that are missing, or bound to something of another kind. */
export const missingBindings = (env: Env): ReadonlyArray<string> =>
  Object.entries(BINDINGS).flatMap(([name, method]) => {
    // A deployment binds what its configuration names, whatever `Env` promises.
    const binding: unknown = Reflect.get(env, name)
    const fits = typeof binding === "object" && binding !== null && typeof Reflect.get(binding, method) === "function"
    return fits ? [] : [name]
  })
