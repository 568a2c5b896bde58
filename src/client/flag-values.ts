// Reads the values of command-line flags: lists, numbers, JSON.
// Invariant: a value that cannot be read is a LaunchError that names its flag.
import { mcpServerRefusal } from "../schemas/sdk/options/mcp-server-refusal.ts"
import type { SessionSettings } from "../schemas/sdk/options/options.ts"
import { LaunchError } from "./launch-error.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import { shortened } from "../schemas/shortened.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** How a rule begins: with the name of a tool, and what may come behind one. */
const RULE_START = /^\s*(?:[A-Z]\w*|mcp__[\w-]+\*?)(?:\(|\s*(?:,|$))/

const depthAt = (depth: number, char: string): number =>
  char === "(" ? depth + 1 : char === ")" ? Math.max(0, depth - 1) : depth

/**
 * `Read,Bash(ls *),Bash(a, b)`: commas inside parentheses belong to a rule. A command may have parentheses that are not in pairs
 * (`Bash(grep "f(" *),Write`): where there are any, a rule also ends with a `)` behind which the next one begins.
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

/** A JSON object. Anything else, the path of a file included, is refused: the server has no file of this machine. */
export const objectOf = (flag: string, option: string, text: string): JsonObject => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (isPlainObject(value)) return value
  throw new LaunchError(
    `options.${option} must be given as an object: ${flag} ${shown(text)} is not one, nor is it read from a file`,
  )
}

/** The keys that a session's settings have; the compiler keeps them those of the schema. */
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

export const settingsOf = (text: string): JsonObject => {
  const { sandbox, ...settings } = objectOf("--settings", "settings", text)
  // As the official SDK: what a sandbox that is not enabled is set to changes nothing.
  const asks = isPlainObject(sandbox) ? (sandbox["enabled"] ?? false) !== false : sandbox !== undefined
  for (const key of Object.keys(asks ? { sandbox, ...settings } : settings)) {
    if (Object.hasOwn(SETTINGS, key)) continue
    const name = key === "sandbox" ? "options.sandbox" : `options.settings.${key}`
    throw new LaunchError(`${name} is not supported by Perch, whose settings are ${Object.keys(SETTINGS).join(", ")}`)
  }
  return settings
}

/** The servers of `--mcp-config`. Local processes are refused by name; the server decides whether it can use remote ones. */
export const mcpServersOf = (text: string): JsonObject => {
  const { mcpServers } = objectOf("--mcp-config", "mcpServers", text)
  if (!isPlainObject(mcpServers))
    throw new LaunchError("options.mcpServers: --mcp-config contains no object `mcpServers`")
  for (const [name, server] of Object.entries(mcpServers)) {
    if (isPlainObject(server) && (server.type === "http" || server.type === "sse")) continue
    const why = isPlainObject(server) ? mcpServerRefusal(server) : "is of a type that Perch does not know"
    if (why !== undefined) throw new LaunchError(`options.mcpServers.${name} ${why}`)
  }
  return mcpServers
}

const shown = (text: string): string => JSON.stringify(shortened(text, 80))
