// The limits of a deployment: receives its setting PERCH_LIMITS, returns all limits with those it sets.
// Invariant: a setting is read once; one that can't be read is null, which the caller reports.
import type { Env } from "../schemas/env.ts"
import { DEFAULT_LIMITS, type Limits, limitsOf } from "../schemas/limits.ts"

let last: { readonly setting: string; readonly limits: Limits | null } | null = null

export const deploymentLimits = ({ PERCH_LIMITS: setting = "" }: Pick<Env, "PERCH_LIMITS">): Limits | null => {
  if (setting === "") return DEFAULT_LIMITS
  if (last?.setting !== setting) last = { setting, limits: limitsOf(setting) ?? null }
  return last.limits
}
