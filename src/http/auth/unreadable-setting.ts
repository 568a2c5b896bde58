// Receives the Worker's settings; returns a sentence about the first one that can't be parsed, or null.
// Invariant: an unreadable limit is never silently ignored. An isolate checks its settings once.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { deploymentLimits } from "../../limits/deployment-limits.ts"
import { parseJson } from "../../schemas/bounded-json.ts"
import type { Env } from "../../schemas/env.ts"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import { fieldIssues } from "../../schemas/errors/union-issues.ts"
import { LimitSettings } from "../../schemas/limits.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { WorkspaceLimits } from "../../schemas/sdk/options/options.ts"
import { ceilingOf } from "../../session/files/workspace-limits.ts"
import { isInvocationSetting } from "../../session/turns/invocation.ts"
import { wordingOf } from "../errors/field-wording.ts"

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
  if (deploymentLimits(env) === null) {
    const need = 'JSON such as {"requests_per_minute":1000}'
    return unreadable("PERCH_LIMITS", need, problemOf(LimitSettings, env.PERCH_LIMITS))
  }
  try {
    ceilingOf(env.PERCH_WORKSPACE_LIMITS)
  } catch {
    const need = 'JSON such as {"files":1000,"bytes":1048576,"file_bytes":65536}'
    return unreadable("PERCH_WORKSPACE_LIMITS", need, problemOf(WorkspaceLimits, env.PERCH_WORKSPACE_LIMITS))
  }
  return isInvocationSetting(env.PERCH_INVOCATION_SECONDS)
    ? null
    : unreadable("PERCH_INVOCATION_SECONDS", "a whole number of seconds below 10,000, such as 720")
}

const unreadable = (name: string, need: string, problem?: string): string =>
  `The setting ${name} is not readable${problem === undefined ? "" : ` (${problem})`}. It must be ${need}.`

/** What is wrong with the first field of a JSON setting; undefined when the setting is no JSON object. */
const problemOf = (
  schema: typeof LimitSettings | typeof WorkspaceLimits,
  setting: string | undefined,
): string | undefined => {
  const value = Result.getOrUndefined(parseJson(setting ?? ""))
  if (!isPlainObject(value)) return undefined
  const read = Schema.decodeUnknownResult<Schema.Decoder<unknown>>(schema, { onExcessProperty: "error" })(value)
  const issue = Result.isFailure(read) ? fieldIssues(read.failure.issue, value)[0] : undefined
  return issue === undefined
    ? undefined
    : wordingOf(issue, fieldPath(issue.path), Reflect.get(value, String(issue.path[0])))
}
