// Receives the hooks of a project's file: settings as JSON, skills and commands in their frontmatter. Returns the hooks of
// the type `http`. Invariant: every other hook, and every field that can't be used, is named in a notice.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ownValue } from "../../schemas/own-value.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { HttpHook, HttpHookMatcher, type HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import { HOOK_STATUS, type HookStatus } from "../../schemas/sdk/status/hook-status.ts"
import { nestedField } from "../../workspace/nested-field.ts"

type Note = (what: string) => void

export interface FileHooks {
  readonly hooks?: HttpHookMatchers
  /** Which hooks are not called, a sentence each without the file's name. */
  readonly notices: ReadonlyArray<string>
}

/** The hooks of a skill or a command. One that runs as a subagent has none. */
export const hooksOfMarkdown = (text: string, forked: boolean): FileHooks => {
  const value = nestedField(text, "hooks")
  if (value === undefined) return { notices: [] }
  if (value === null) return { notices: ["`hooks` can't be parsed and is ignored."] }
  if (forked) return { notices: ["`hooks` are not supported when it runs as a subagent."] }
  const notices: Array<string> = []
  const hooks = hooksOf(value, (what) => notices.push(what))
  return { ...(Object.keys(hooks).length === 0 ? {} : { hooks }), notices }
}

/** The hooks of the type `http`; every other hook is passed to `note`, since Perch can't run it. */
export const hooksOf = (value: unknown, note: Note): HttpHookMatchers => {
  if (value === undefined) return {}
  const kept: Record<string, ReadonlyArray<HttpHookMatcher>> = {}
  for (const [event, groups] of Object.entries(isPlainObject(value) ? value : {})) {
    const known = ownValue<HookStatus>(HOOK_STATUS, event)
    if (known === undefined || !Array.isArray(groups)) note(`\`hooks.${event}\` is invalid.`)
    else if (known.status === "never") note(`\`hooks.${event}\` ${known.note}.`)
    else kept[event] = groups.flatMap((group) => matcherOf(event, group, note)).slice(0, 50)
  }
  if (!isPlainObject(value)) note("`hooks` is not an object and is ignored.")
  return Object.fromEntries(Object.entries(kept).filter(([, groups]) => groups.length > 0))
}

const matcherOf = (event: string, group: unknown, note: Note): ReadonlyArray<HttpHookMatcher> => {
  const { hooks: written, ...rest } = isPlainObject(group) ? group : {}
  const hooks = (Array.isArray(written) ? written : []).flatMap((hook: unknown) => {
    const { type, command } = isPlainObject(hook) ? hook : {}
    const named = typeof command === "string" ? ` ${JSON.stringify(command.slice(0, 200))}` : ""
    if (type !== "http") {
      note(
        `the ${event} hook of type ${String(type)}${named} is not run: Perch starts no processes. Use the type http.`,
      )
      return []
    }
    const one = Result.getOrUndefined(Schema.decodeUnknownResult(HttpHook)(hook))
    if (one === undefined) note(`a ${event} hook of type http has invalid fields.`)
    for (const name of Object.keys(isPlainObject(hook) ? hook : {}))
      if (!Object.hasOwn(HttpHook.fields, name)) note(`\`${name}\` of a ${event} hook is not supported.`)
    return one === undefined ? [] : [one]
  })
  if (hooks.length === 0) return []
  const matcher = Result.getOrUndefined(
    Schema.decodeUnknownResult(HttpHookMatcher)({ ...rest, hooks: hooks.slice(0, 20) }),
  )
  if (matcher === undefined) note(`a matcher of ${event} is invalid, and its hooks are left out.`)
  return matcher === undefined ? [] : [matcher]
}
