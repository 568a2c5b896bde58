// What the API reports of a session as a whole: its facts, its state and what it has cost.
import type { Accounting } from "../agent/transcript/accounting.ts"
import type { SessionMemory } from "../agent/transcript/projection.ts"
import { modelOf } from "../agent/step-request.ts"
import { addUsd } from "../model/catalogue/prices.ts"
import { withWindows } from "../model/catalogue/window.ts"
import { policyOf } from "../permissions/policy.ts"
import { EventNames, isTurnResult } from "../schemas/log/events.ts"
import type { CostReport } from "../schemas/api/catalogue.ts"
import type { TodoEntry } from "../schemas/api/api.ts"
import type { Reverted, RevertInfo } from "../schemas/rpc/revert.ts"
import type { SessionInfo, SessionState } from "../schemas/rpc/session.ts"
import type { LaneInfo } from "../schemas/rpc/turns.ts"
import { maskOptions } from "../schemas/sdk/options/masked-options.ts"
import { taskEntry, todoEntry } from "../views/live/session-base.ts"
import type { SessionCore } from "./core.ts"
import type { SessionLog } from "./storage/log.ts"
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import type { Rested, SessionRecord, Totals } from "./storage/meta.ts"
import type { SessionFold } from "./storage/session-fold.ts"

/**
 * From the projection if it is in memory, otherwise from the moment at which the session last rested and the events since then:
 * the last result does not have the cost before a `/clear`.
 */
export const totalsOf = (fold: SessionFold, log: SessionLog, rested: Rested | undefined): Totals => {
  if (fold.held !== null || rested?.totals === undefined) {
    const { results, totalUsd } = fold.memory.accounting
    return { turns: results, usd: totalUsd }
  }
  let { turns, usd } = rested.totals
  for (const { event } of log.all(rested.seq)) {
    if (event.name === EventNames.callFinished) usd = addUsd(usd, event.payload.usd ?? 0)
    if (isTurnResult(event) && event.parent_tool_use_id === null) turns += 1
  }
  return { turns, usd }
}

interface SessionFacts {
  readonly state: SessionState
  readonly totals: Totals
  /** The effective options, including those of the project's files. */
  readonly effectiveOptions: SessionOptions
  /** Undefined unless a turn waits or runs in a limited lane. */
  readonly lane: LaneInfo | undefined
}

export const sessionInfo = (
  record: SessionRecord,
  log: SessionLog,
  { state, totals, effectiveOptions, lane }: SessionFacts,
): SessionInfo => {
  const { id, title, cwd, options, metadata, created_at: createdAt } = record
  return {
    id,
    type: "session",
    title,
    cwd,
    state,
    model: modelOf(effectiveOptions),
    permissionMode: policyOf(effectiveOptions, record.permission_updates).mode,
    options: maskOptions(options),
    metadata,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(Math.max(log.lastAt, createdAt)).toISOString(),
    turns: totals.turns,
    total_cost_usd: totals.usd,
    last_seq: log.lastSeq,
    ...(record.reverted === undefined ? {} : { revert: shownRevert(record.reverted) }),
    ...(lane === undefined ? {} : { lane }),
  }
}

/** The session for a request about it alone, with `sdk` and `delivery`. */
export const wholeInfo = (core: Pick<SessionCore, "info" | "log" | "memory" | "outbox">): SessionInfo => {
  const info = core.info()
  const init = core.log.lastNamed("sdk:system/init")?.event.payload
  const { cacheRead: read, cacheWrite: write } = core.memory.accounting
  const sdk = {
    sessionId: info.id,
    model: init?.model ?? info.model,
    tools: init?.tools ?? [],
    cacheStats: { read, write },
  }
  return { ...info, sdk, delivery: core.outbox.report() }
}

/** What clients see of a revert. */
const shownRevert = ({ back_to: _, files_after: __, asked: ___, ...revert }: Reverted): RevertInfo => revert

export const costReport = (accounting: Accounting, options: Pick<SessionOptions, "betas"> = {}): CostReport => {
  const cached = accounting.cacheRead + accounting.cacheWrite
  return {
    total_cost_usd: accounting.totalUsd,
    budget_used_usd: accounting.spent.session,
    has_unpriced: accounting.hasUnpriced,
    model_usage: Object.fromEntries(
      Object.entries(withWindows(options, accounting.modelUsage)).map(([model, usage]) => [model, { ...usage }]),
    ),
    costs: Object.fromEntries(accounting.costs),
    cache_hit_rate: cached === 0 ? null : accounting.cacheRead / cached,
    requests: accounting.requests,
  }
}

/** TodoWrite's list, then the tasks. */
export const todoEntries = ({ todos, tasks }: SessionMemory): ReadonlyArray<TodoEntry> => [
  ...todos.map(todoEntry),
  ...tasks.map(taskEntry),
]
