// What a session's outbox reads: the log and the cursors of the session, and where to send them.
import { EventNames } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"
import { headMovesOf } from "../storage/head.ts"
import type { OutboxCursors } from "../storage/meta.ts"
import type { OutboxDeps } from "../storage/outbox.ts"
import type { CursorChange } from "./stored-hooks.ts"
import { QUEUED } from "../../store/delivery/hook-message.ts"

/** The session rests now, if D1 has everything and nothing is open. */
const restedAt = (core: SessionCore, { d1_seq }: CursorChange): Pick<OutboxCursors, "rested"> => {
  if (d1_seq !== core.log.lastSeq || core.isBusy || core.askStore.open.length > 0) return {}
  const { knownCheckpoint } = core.workspace
  return { rested: { seq: d1_seq, ...(knownCheckpoint === null ? {} : { checkpoint: knownCheckpoint }) } }
}

const NOTHING_SENT: OutboxCursors = { d1_seq: 0, queue_seq: 0, head_seq: 0, stored_seq: 0 }

export const logDelivery = (core: SessionCore): OutboxDeps => {
  const { context, inbox, life, log, meta } = core
  /** Each write of the session asks for them: they are read once. */
  let known: OutboxCursors | null = null
  const cursors = (): OutboxCursors => (known ??= meta.get("outbox") ?? NOTHING_SENT)
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
    load: cursors,
    // JSON has no undefined: a cursor that is removed is not written.
    save: (change) => {
      const saved = { ...cursors(), ...change, ...restedAt(core, change) } as OutboxCursors
      meta.set("outbox", saved)
      known = saved
    },
    now: context.now,
  }
}
