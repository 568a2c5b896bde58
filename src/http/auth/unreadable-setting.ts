// Receives the Worker's settings; returns a sentence about the first one that can't be parsed, or null.
// Invariant: an unreadable limit is never silently ignored. An isolate checks its settings once.
import { deploymentLimits } from "../../limits/deployment-limits.ts"
import type { Env } from "../../schemas/env.ts"
import { ceilingOf } from "../../session/files/files.ts"
import { isInvocationSetting } from "../../session/turns/invocation.ts"

const found = new WeakMap<Env, string | null>()

/** What is wrong with the settings of this deployment; null when all of them are valid. */
export const unreadableSetting = (env: Env): string | null => {
  const known = found.get(env)
  if (known !== undefined) return known
  const sentence = read(env)
  found.set(env, sentence)
  return sentence
}

const read = (env: Env): string | null => {
  if (deploymentLimits(env) === null) return unreadable("PERCH_LIMITS", 'JSON such as {"requests_per_minute":1000}')
  try {
    ceilingOf(env.PERCH_WORKSPACE_LIMITS)
  } catch {
    return unreadable("PERCH_WORKSPACE_LIMITS", 'JSON such as {"files":1000,"bytes":1048576,"file_bytes":65536}')
  }
  return isInvocationSetting(env.PERCH_INVOCATION_SECONDS)
    ? null
    : unreadable("PERCH_INVOCATION_SECONDS", "a whole number of seconds below 10,000, such as 720")
}

const unreadable = (name: string, need: string): string => `The setting ${name} is not readable. It must be ${need}.`
