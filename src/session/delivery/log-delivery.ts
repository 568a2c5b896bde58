// What a session's outbox works with: the session's log and cursors, and where to send the events.
import { EventNames } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"
import { headMovesOf } from "../storage/head.ts"
import type { OutboxCursors, Rested } from "../storage/meta.ts"
import type { OutboxDeps } from "../storage/outbox.ts"
import type { CursorChange } from "./stored-hooks.ts"
import { QUEUED } from "../../store/delivery/hook-message.ts"

/** The end of the log, the latest checkpoint and the totals of an idle session; null while a turn, a task or an ask is open. */
const restOf = (core: SessionCore): Rested | null =>
  core.isBusy || core.askStore.open.length > 0
    ? null
    : { seq: core.log.lastSeq, checkpoint: core.workspace.latestCheckpoint, totals: core.totals }

const NOTHING_SENT: OutboxCursors = { d1_seq: 0, queue_seq: 0, head_seq: 0, stored_seq: 0 }

export const logDelivery = (core: SessionCore): OutboxDeps => {
  const { context, inbox, life, log, meta } = core
  /** Every write of the session needs the cursors, so they are read once. */
  let known: OutboxCursors | null = null
  const cursors = (): OutboxCursors => (known ??= meta.get("outbox") ?? NOTHING_SENT)
  let lastRest: Rested | null = null
  const rests = (): void => {
    lastRest = restOf(core) ?? lastRest
  }
  const restedAt = ({ d1_seq = 0 }: CursorChange): Pick<OutboxCursors, "rested"> => {
    rests()
    return lastRest !== null && lastRest.seq <= d1_seq ? { rested: lastRest } : {}
  }
  return {
    tenant: context.tenant,
    sessionId: context.id,
    db: context.env.DB,
    queue: context.env.HOOKS,
    webhooks: context.env.WEBHOOKS,
    isErased: () => life.isErased,
    lastSeq: () => log.lastSeq,
    read: (after, limit) => log.read({ after, limit, order: "asc" }).map((stored) => stored.event),
    headMoves: () => headMovesOf(log),
    foldFrom: (seq) => inbox.firstOpenAt(seq) ?? seq + 1,
    info: () => core.info(),
    hookSeqs: (after, through, limit) => log.seqsNamed(QUEUED, { after, through, limit }),
    eventAt: (seq) => log.at(seq)?.event,
    copiedThrough: () => log.lastNamed(EventNames.sessionForked)?.event.payload.through ?? 0,
    rests,
    load: cursors,
    // JSON has no undefined: a cursor that is removed is not written.
    save: (change) => {
      const saved = { ...cursors(), ...change, ...restedAt(change) } as OutboxCursors
      meta.set("outbox", saved)
      known = saved
    },
    now: context.now,
  }
}
