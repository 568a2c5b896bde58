// Receives the tools that a server listed; returns those that a session can use, and why it can't use the others.
// Invariant: every returned tool has a name and a schema that the Messages API accepts, and all of them together are within
// the limits below.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SchemaIssueAt } from "../schemas/agent-schema/errors.ts"
import type { McpServerToolPolicy } from "../schemas/sdk/options/mcp-config.ts"
import { McpToolInfo } from "../schemas/sdk/options/mcp-tools.ts"
import { toolName } from "./names.ts"
import { toolSchema } from "./tool-schema.ts"

/** A tool that was left out. `reason` completes a sentence that starts with the name; `issues` are those of its schema. */
export interface RefusedTool {
  readonly name: string
  readonly reason: string
  readonly issues?: ReadonlyArray<SchemaIssueAt>
}

const MAX_TOOLS = 500
const MAX_SCHEMA = 65_536
/** The most bytes of all tools' schemas, descriptions and annotations. */
const MAX_ALL = 2 * 1024 * 1024
const MAX_DEPTH = 200
const MAX_DESCRIPTION = 10_000
const MAX_REFUSED = 100
/** The longest name that the Messages API accepts. */
const MAX_NAME = 128

/** Chooses among `listed`, in order; when tools have the same name, the first one is kept. */
export const chooseTools = (
  server: string,
  listed: ReadonlyArray<unknown>,
  policies: ReadonlyArray<McpServerToolPolicy>,
): { readonly tools: ReadonlyArray<McpToolInfo>; readonly refused: ReadonlyArray<RefusedTool> } => {
  const tools = new Map<string, McpToolInfo>()
  const refused: Array<RefusedTool> = []
  const denied = new Set(policies.filter(isDenied).map((policy) => policy.name))
  let size = 0
  for (const one of listed) {
    const tool = readTool(one)
    const name = tool === undefined ? "" : toolName(server, tool.name)
    const weight = tool === undefined ? 0 : sizeOf(tool)
    const reason =
      tool === undefined
        ? "does not conform to MCP's definition of a tool"
        : denied.has(tool.name)
          ? "is denied by the policy of its server"
          : tools.has(name)
            ? `has the name ${name}, which another tool of this server has too`
            : tools.size >= MAX_TOOLS
              ? `exceeds the maximum of ${MAX_TOOLS} tools per server`
              : size + weight > MAX_ALL
                ? "does not fit: the tools of this server are too large together"
                : whyUnusable(name, tool)
    if (tool === undefined || reason !== undefined) {
      if (refused.length < MAX_REFUSED) refused.push({ name: nameOf(one), reason: reason ?? "", ...issuesOf(tool) })
    } else {
      size += weight
      tools.set(name, tool)
    }
  }
  return { tools: [...tools.values()], refused }
}

const isDenied = ({ permission_policy, org_max_permission }: McpServerToolPolicy): boolean =>
  permission_policy === "always_deny" || org_max_permission === "blocked"

const isToolInfo = Schema.is(McpToolInfo)

/** The tool with only the fields that are used; undefined when the value is no tool. */
const readTool = (one: unknown): McpToolInfo | undefined => {
  if (!isToolInfo(one)) return undefined
  const { name, title, description, inputSchema, annotations, _meta } = one
  return {
    name,
    inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description: description.slice(0, MAX_DESCRIPTION) }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(_meta === undefined ? {} : { _meta }),
  }
}

const whyUnusable = (name: string, tool: McpToolInfo): string | undefined => {
  if (tool.name === "" || name.length > MAX_NAME) return `would have a name that is empty or longer than ${MAX_NAME}`
  if (sizeOf(tool.inputSchema) > MAX_SCHEMA) return `has a schema of more than ${MAX_SCHEMA} bytes`
  const read = toolSchema(tool.inputSchema)
  return Result.isFailure(read) ? `has a schema that can't be used: ${read.failure.message}` : undefined
}

/** The schema's issues, when they are why a tool can't be used. */
const issuesOf = (tool: McpToolInfo | undefined): { readonly issues?: ReadonlyArray<SchemaIssueAt> } => {
  if (tool === undefined || sizeOf(tool.inputSchema) > MAX_SCHEMA) return {}
  const read = toolSchema(tool.inputSchema)
  return Result.isFailure(read) ? { issues: read.failure.issues } : {}
}

const nameOf = (one: unknown): string => {
  const name = typeof one === "object" && one !== null ? Reflect.get(one, "name") : undefined
  return typeof name === "string" ? name.slice(0, 200) : "(without a name)"
}

/** About how many bytes a value takes as JSON; infinite when it is nested too deeply. Does not recurse. */
export const sizeOf = (value: unknown): number => {
  const open: Array<readonly [unknown, number]> = [[value, 0]]
  let size = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [part, depth] = next
    if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY
    size += typeof part === "string" ? Buffer.byteLength(part) + 2 : 5
    if (typeof part !== "object" || part === null) continue
    for (const [key, child] of Object.entries(part)) {
      size += Array.isArray(part) ? 1 : Buffer.byteLength(key) + 4
      open.push([child, depth + 1])
    }
  }
  return size
}
