// Receives the secrets of a webhook's row; returns those that sign a delivery, and the column of earlier ones after a roll.
// Invariant: an earlier secret signs until its own end, however often the current one is replaced meanwhile.
import type { WebhookRow } from "./webhook-rows.ts"

/** An earlier secret, and when it stops signing (milliseconds since 1970). */
interface RetiringSecret {
  readonly sealed: string
  readonly until: number
}

/** A delivery is signed with at most this many earlier secrets. */
const MAX_RETIRING = 3

type Secrets = Pick<WebhookRow, "sealed" | "previous" | "previous_until">

/** The secrets before the current one that still sign, the newest first. */
const retiringSecrets = ({ previous, previous_until }: Secrets, now: number): ReadonlyArray<RetiringSecret> => {
  if (previous === null) return []
  // `rolledSecrets` wrote the list; earlier versions stored one secret, and its end in a column of its own.
  const all = previous.startsWith("[")
    ? (JSON.parse(previous) as ReadonlyArray<RetiringSecret>)
    : [{ sealed: previous, until: previous_until ?? 0 }]
  return all.filter(({ until }) => now < until)
}

/** The sealed secrets to sign with, the current one first. */
export const activeSecrets = (row: Secrets, now: number): ReadonlyArray<string> => [
  row.sealed,
  ...retiringSecrets(row, now).map(({ sealed }) => sealed),
]

/** The column `previous` after the current secret is replaced. A shorter overlap also applies to earlier secrets. */
export const rolledSecrets = (row: Secrets, now: number, overlapMs: number): string => {
  const until = now + overlapMs
  const earlier = retiringSecrets(row, now).map((one) => ({ ...one, until: Math.min(one.until, until) }))
  return JSON.stringify([{ sealed: row.sealed, until }, ...earlier].slice(0, MAX_RETIRING))
}
