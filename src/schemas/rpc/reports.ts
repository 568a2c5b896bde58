// A session's reports besides its turns: todos, costs, commands, and pages of messages.
import type { CostBreakdown } from "../sdk/messages/usage.ts"

/** An item of a session's todo list or task list, as a user interface shows it. */
export interface TodoEntry {
  readonly id: string
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed"
  readonly priority: "medium"
  readonly activeForm: string
}

export interface CostReport {
  readonly total_cost_usd: number
  /** The cost that counts for `options.maxBudgetUsd`: since a client last resumed the session. */
  readonly budget_used_usd: number
  /** True when a request used a model without a price: the total leaves it out. */
  readonly has_unpriced: boolean
  readonly model_usage: Record<string, Record<string, unknown>>
  /** The cost of each model, by kind of token; the totals add up to `total_cost_usd`. */
  readonly costs: Record<string, CostBreakdown>
  readonly cache_hit_rate: number | null
  readonly requests: number
}

export interface MessagesPage {
  /** The messages, each as `{info, parts}`. */
  readonly messages: ReadonlyArray<unknown>
  readonly has_more: boolean
}

/** A slash command of a session, with its source. */
export interface SessionCommandEntry {
  readonly name: string
  readonly description: string
  readonly argument_hint: string
  readonly source: "built-in" | "options" | "stored" | "workspace" | "skill" | "mcp"
  readonly aliases?: ReadonlyArray<string>
  readonly agent?: string
  readonly model?: string
}

/** The commands that a prompt may call; `notices` say why others are left out. */
export interface SessionCommandsReport {
  readonly data: ReadonlyArray<SessionCommandEntry>
  readonly notices: ReadonlyArray<string>
}
