// Receives the server's count of the model's context window; returns it in the form in which it is shown.

import type { ContextUse, Counted } from "../../store/context-shapes.ts"

export interface ContextPart {
  readonly title: string
  readonly tokens: number
  readonly items: ReadonlyArray<Counted>
}

const largest = (items: ReadonlyArray<Counted>): ReadonlyArray<Counted> =>
  items.toSorted((one, other) => other.tokens - one.tokens)

/** Lists of the individual items in the context window; empty lists are omitted. */
export const contextParts = (use: ContextUse): ReadonlyArray<ContextPart> => {
  const skills =
    use.skills === undefined ? [] : "skillFrontmatter" in use.skills ? use.skills.skillFrontmatter : use.skills
  const lists: ReadonlyArray<readonly [string, ReadonlyArray<Counted>]> = [
    ["Tools", use.systemTools ?? []],
    [
      "Tools of MCP servers",
      (use.mcpTools ?? []).map(({ name, serverName, tokens }) => ({
        name: serverName === undefined ? name : `${serverName}: ${name}`,
        tokens,
      })),
    ],
    ["Memory files", (use.memoryFiles ?? []).map(({ path, tokens }) => ({ name: path, tokens }))],
    ["Agents", (use.agents ?? []).map(({ agentType, tokens }) => ({ name: agentType, tokens }))],
    ["Skills", Array.isArray(skills) ? skills : []],
  ]
  return lists
    .filter(([, items]) => items.length > 0)
    .map(([title, items]) => ({
      title,
      tokens: items.reduce((sum, { tokens }) => sum + tokens, 0),
      items: largest(items),
    }))
}

/** A share as a percentage, with one decimal if it is small. */
export const share = (tokens: number, of: number): string => {
  const percent = of === 0 ? 0 : (tokens / of) * 100
  if (percent > 0 && percent < 0.1) return "< 0.1%"
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`
}
