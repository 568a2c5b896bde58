// Reads the values of command-line flags: lists, numbers, JSON.
// Invariant: a value that cannot be read is a LaunchError that names its flag.
import { mcpServerRefusal } from "../../schemas/sdk/options/mcp-server-refusal.ts"
import type { SessionSettings } from "../../schemas/sdk/options/options.ts"
import { readFlagFile } from "./flag-file.ts"
import { LaunchError } from "./launch-error.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { shortened } from "../../schemas/shortened.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** The start of a rule: the name of a tool, followed by "(", a comma or the end. */
const RULE_START = /^\s*(?:[A-Z]\w*|mcp__[\w-]+\*?)(?:\(|\s*(?:,|$))/

const depthAt = (depth: number, char: string): number =>
  char === "(" ? depth + 1 : char === ")" ? Math.max(0, depth - 1) : depth

/**
 * Splits a list of rules such as `Read,Bash(ls *),Bash(a, b)`: commas inside parentheses belong to a rule. If parentheses are
 * unbalanced (`Bash(grep "f(" *),Write`), a rule also ends at a `)` whose comma is followed by the start of another rule.
 */
export const listOf = (text: string): ReadonlyArray<string> => {
  const paired = [...text].reduce(depthAt, 0) === 0
  const items: Array<string> = []
  let depth = 0
  let begin = 0
  const add = (end: number) => {
    const item = text.slice(begin, end).trim()
    if (item !== "") items.push(item)
    begin = end + 1
    depth = 0
  }
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ""
    depth = depthAt(depth, char)
    if (char !== ",") continue
    if (depth === 0 || (!paired && text[at - 1] === ")" && RULE_START.test(text.slice(at + 1)))) add(at)
  }
  add(text.length)
  return items
}

export const numberOf = (flag: string, text: string): number => {
  const value = Number(text)
  if (text.trim() === "" || !Number.isFinite(value)) throw new LaunchError(`${flag}: ${shown(text)} is not a number`)
  return value
}

/** Parses a JSON object. Anything else throws LaunchError. */
export const objectOf = (flag: string, option: string, text: string): JsonObject => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (isPlainObject(value)) return value
  throw new LaunchError(`options.${option} must be an object: ${flag} ${shown(text)} is not one`)
}

/** As the official process: a value that does not begin with a brace names a file of JSON. */
const jsonOf = (flag: string, text: string, cwd: string): string =>
  text.trimStart().startsWith("{") ? text : readFlagFile(flag, text, cwd)

/** The keys of a session's settings; the type makes the compiler compare them with the schema. */
const SETTINGS = {
  permissions: true,
  model: true,
  effortLevel: true,
  alwaysThinkingEnabled: true,
  autoCompactEnabled: true,
  autoCompactWindow: true,
  promptCacheTtl: true,
  subagentPromptCacheTtl: true,
} satisfies Record<keyof SessionSettings, true>

export const settingsOf = (text: string, cwd: string): JsonObject => {
  const { sandbox, ...settings } = objectOf("--settings", "settings", jsonOf("--settings", text, cwd))
  // As in the official SDK, the settings of a sandbox that is not enabled have no effect.
  const asks = isPlainObject(sandbox) ? (sandbox["enabled"] ?? false) !== false : sandbox !== undefined
  for (const key of Object.keys(asks ? { sandbox, ...settings } : settings)) {
    if (Object.hasOwn(SETTINGS, key)) continue
    const name = key === "sandbox" ? "options.sandbox" : `options.settings.${key}`
    throw new LaunchError(`${name} is not supported by Perch, whose settings are ${Object.keys(SETTINGS).join(", ")}`)
  }
  return settings
}

interface McpServers {
  readonly remote: JsonObject
  /** Servers inside the app, with their configurations, by name. */
  readonly inApp: Readonly<Record<string, JsonObject>>
}

/** Parses the servers of `--mcp-config`. Local processes throw LaunchError; the Perch server decides about remote ones. */
export const mcpServersOf = (text: string, cwd: string): McpServers => {
  const { mcpServers } = objectOf("--mcp-config", "mcpServers", jsonOf("--mcp-config", text, cwd))
  if (!isPlainObject(mcpServers))
    throw new LaunchError("options.mcpServers: --mcp-config contains no object `mcpServers`")
  const remote: Record<string, unknown> = {}
  const inApp: Record<string, JsonObject> = {}
  for (const [name, server] of Object.entries(mcpServers)) {
    if (isPlainObject(server) && server.type === "sdk") {
      const { type: _, name: _name, ...config } = server
      inApp[name] = config
      continue
    }
    remote[name] = server
    if (isPlainObject(server) && (server.type === "http" || server.type === "sse")) continue
    const why = isPlainObject(server) ? mcpServerRefusal(server) : "is of a type that Perch does not know"
    if (why !== undefined) throw new LaunchError(`options.mcpServers.${name} ${why}`)
  }
  return { remote, inApp }
}

const shown = (text: string): string => JSON.stringify(shortened(text, 80))
