// The limits of a deployment: receives its setting PERCH_LIMITS, returns the default limits with those that it sets.
// Invariant: a setting is parsed once; for a setting that can't be parsed the result is null, which the caller reports.
import type { Env } from "../schemas/env.ts"
import { DEFAULT_LIMITS, type Limits, limitsOf } from "../schemas/limits.ts"

let last: { readonly setting: string; readonly limits: Limits | null } | null = null

/** The limits of the deployment; null when its setting can't be parsed. */
export const deploymentLimits = ({ PERCH_LIMITS: setting = "" }: Pick<Env, "PERCH_LIMITS">): Limits | null => {
  if (setting === "") return DEFAULT_LIMITS
  if (last?.setting !== setting) last = { setting, limits: limitsOf(setting) ?? null }
  return last.limits
}
