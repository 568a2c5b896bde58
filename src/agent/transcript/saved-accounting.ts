// The totals of a session in the form in which they are stored.
import type { ModelUsage } from "../../model/catalogue/prices.ts"
import type { CostBreakdown } from "../../schemas/sdk/messages/usage.ts"

export interface SavedAccounting {
  readonly modelUsage: Readonly<Record<string, ModelUsage>>
  readonly costs: ReadonlyArray<readonly [string, CostBreakdown]>
  readonly numbers: readonly [totalUsd: number, usdBefore: number, cacheRead: number, cacheWrite: number]
  /** `resultsBefore` is absent in the form of earlier versions. */
  readonly counts: readonly [requests: number, results: number, resultsBefore?: number]
  readonly hasUnpriced: boolean
  readonly lastUsage: Readonly<Record<string, unknown>> | null
  /** Absent in the form of earlier versions. */
  readonly lastModel?: string | null
  /** The turn of the latest events, if they came after its result. */
  readonly turn: readonly [id: string, startedAt: number] | null
  readonly failedCompactions: number
  readonly sinceClear: UsedSinceClear | null
}

/** Usage since the conversation was cleared. */
export interface UsedSinceClear {
  usd: number
  models: Record<string, ModelUsage>
}
