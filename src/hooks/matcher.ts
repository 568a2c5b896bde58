// Receives a hook, an event and its input; returns whether the hook is to be called.
// A list of names (letters, digits, `_`, `-`, spaces, `|`, `,`) matches a field that equals one of them; any other matcher is
// a regular expression that matches anywhere in the field, as the SDK documents. Events without such a field call every hook.
// Invariant: time is linear in the field (RE2). A matcher that is no valid expression matches exactly its own text; one that
// only RE2 does not support (look-around, back-references) matches everything, so that a guard is never left out silently.
import { RE2JS, RE2JSException } from "re2js"
import type { HookEvent } from "../schemas/sdk/hooks/hooks.ts"
import { canonicalToolName, TOOL_ALIASES } from "../schemas/sdk/tools/tool-names.ts"
import type { HookEntry } from "./registry.ts"

/** The input field that an event's matchers are applied to. */
const FIELDS: Partial<Record<HookEvent, string>> = {
  PreToolUse: "tool_name",
  PreSkillShellCommand: "tool_name",
  PostToolUse: "tool_name",
  PostToolUseFailure: "tool_name",
  PermissionRequest: "tool_name",
  PermissionDenied: "tool_name",
  Notification: "notification_type",
  UserPromptExpansion: "command_name",
  SessionStart: "source",
  SessionEnd: "reason",
  StopFailure: "error",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  PreCompact: "trigger",
  PostCompact: "trigger",
  Setup: "trigger",
  Elicitation: "mcp_server_name",
  ElicitationResult: "mcp_server_name",
  ConfigChange: "source",
  InstructionsLoaded: "load_reason",
  FileChanged: "file_path",
}

/** True for an event whose hooks are selected by a matcher. */
export const takesMatcher = (event: HookEvent): boolean => FIELDS[event] !== undefined

const MAX_MATCHER = 1000
const BEYOND_RE2 = /\(\?<?[=!]|\\[1-9]|\\k</
const ONLY_NAMES = /^[\w\-,| ]*$/

/** True when the entry's matcher matches this event's input. */
export const hookMatches = (entry: HookEntry, event: HookEvent, input: Readonly<Record<string, unknown>>): boolean => {
  const { matcher } = entry
  const field = FIELDS[event]
  if (matcher === undefined || matcher === "" || matcher === "*" || field === undefined) return true
  const value = input[field]
  if (typeof value !== "string") return false
  if (field === "tool_name") return matchesTool(compiled(entry, matcher), value)
  // File names are compared literally: the dots in `.env|.envrc` are dots.
  if (event === "FileChanged") return namesOf(matcher).includes(value.slice(value.lastIndexOf("/") + 1))
  const { names, test } = compiled(entry, matcher)
  return test === null ? names.includes(value) : test(value)
}

/** True for a list of names and for a regular expression; any other text would match itself alone. */
export const isMatcher = (matcher: string): boolean =>
  matcher === "*" || ONLY_NAMES.test(matcher) || BEYOND_RE2.test(matcher) || re2(matcher) !== null

/** `test` is null when the matcher is a list of names. */
interface Compiled {
  readonly names: ReadonlyArray<string>
  readonly test: ((text: string) => boolean) | null
}

/** Compiled matchers, because an entry is matched many times. */
const cache = new WeakMap<HookEntry, Compiled>()

const compiled = (entry: HookEntry, matcher: string): Compiled => {
  const known = cache.get(entry)
  if (known !== undefined) return known
  const made: Compiled = ONLY_NAMES.test(matcher)
    ? { names: namesOf(matcher), test: null }
    : { names: [], test: re2(matcher) ?? (BEYOND_RE2.test(matcher) ? () => true : (text) => text === matcher) }
  cache.set(entry, made)
  return made
}

const namesOf = (matcher: string): ReadonlyArray<string> => matcher.split(/[|,]/).map((name) => name.trim())

const re2 = (matcher: string): ((text: string) => boolean) | null => {
  if (matcher.length > MAX_MATCHER) return null
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(matcher))
    return (text) => pattern.test(text)
  } catch (error) {
    if (error instanceof RE2JSException) return null
    throw error
  }
}

/** A tool is also known by its old names, in the matcher and in the input. */
const matchesTool = ({ names, test }: Compiled, value: string): boolean => {
  const tool = canonicalToolName(value)
  if (test === null) return names.some((name) => canonicalToolName(name) === tool)
  if (test(tool)) return true
  for (const [alias, canonical] of TOOL_ALIASES) if (canonical === tool && test(alias)) return true
  return false
}
