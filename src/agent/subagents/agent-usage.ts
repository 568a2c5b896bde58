// The usage of a subagent's run, as its call's result and its task's messages report it.
import { emptyUsage } from "../../schemas/sdk/messages/empty-usage.ts"
import { canonicalToolName } from "../../schemas/sdk/tools/tool-names.ts"
import type { AgentOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import type { Turn } from "../ports.ts"
import type { ChangedLines } from "../transcript/changed-lines.ts"
import type { Subagent } from "../transcript/subagents.ts"
import { usageTotal } from "../../schemas/sdk/messages/usage.ts"

type Usage = Readonly<Record<string, unknown>>

/** As the official SDK counts: the tokens of the last request only, including cache reads, cache writes and output. */
export const totalTokens = (usage: Usage | null): number => (usage === null ? 0 : usageTotal(usage))

const SEARCHES: ReadonlySet<string> = new Set(["Glob", "Grep", "LS"])
const EDITS: ReadonlySet<string> = new Set(["Edit", "NotebookEdit", "Write"])

const counted = (uses: ReadonlyMap<string, number>, of: (name: string) => boolean): number =>
  [...uses].reduce((sum, [name, count]) => (of(name) ? sum + count : sum), 0)

type Completed = Extract<AgentOutput, { readonly status: "completed" }>

/**
 * The counts of a run for AgentOutput. As the official SDK: only tools that the agent has are listed, and calls are counted
 * by kind only if the run called a tool other than Agent.
 */
export const runNumbers = (turn: Turn, { toolUses: uses, startedAt, lines }: Subagent) => {
  const last = turn.memory.accounting.lastUsage
  const used = [...uses.keys()].filter((name) => turn.toolByName(name) !== undefined)
  const numbers: Pick<
    Completed,
    "totalDurationMs" | "totalTokens" | "totalToolUseCount" | "usage" | "toolsUsed" | "toolStats"
  > = {
    totalDurationMs: turn.now() - startedAt,
    totalTokens: totalTokens(last),
    totalToolUseCount: counted(uses, () => true),
    // The log has the usage as the Messages API returned it.
    usage: { ...emptyUsage(), ...last } as Completed["usage"],
    ...(used.length === 0 ? {} : { toolsUsed: used }),
    ...([...uses.keys()].every(isAgent) ? {} : { toolStats: toolStats(uses, lines) }),
  }
  return numbers
}

const isAgent = (name: string): boolean => canonicalToolName(name) === "Agent"

const toolStats = (uses: ReadonlyMap<string, number>, lines: Readonly<ChangedLines>) => ({
  readCount: counted(uses, (name) => name === "Read"),
  searchCount: counted(uses, (name) => SEARCHES.has(name)),
  bashCount: counted(uses, (name) => name === "Bash"),
  editFileCount: counted(uses, (name) => EDITS.has(name)),
  ...lines,
  otherToolCount: counted(
    uses,
    (name) => name !== "Read" && name !== "Bash" && !SEARCHES.has(name) && !EDITS.has(name),
  ),
})
