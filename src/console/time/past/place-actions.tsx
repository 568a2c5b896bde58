// The actions at the place that is shown: fork, revert, and creating a recording of the session.
import { isPlainObject } from "../../../schemas/plain-object.ts"
import { useState } from "preact/hooks"
import type { MessageWithParts } from "../../store/frames.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import type { SessionStore } from "../../store/session-store.ts"
import { NotRecorded, RecordDialog } from "../recordings/record-dialog.tsx"
import { ForkDialog } from "../revert/fork-dialog.tsx"
import {
  fileChanges,
  isOfMainThread,
  isWholeRemoved,
  removalSummary,
  revertTarget,
  type RevertTarget,
} from "../revert/places.ts"
import { RevertDialog, type RevertFacts } from "../revert/revert-dialog.tsx"
import { answeredAfter, filesAt, mainThreadFrom, placeBefore, uuidOfPlace } from "../revert/session-places.ts"
import type { Past } from "./past.ts"

interface PlaceActionsProps {
  readonly store: SessionStore
  readonly past: Past
  /** Null means now. */
  readonly place: number | null
}

type Open = "fork" | "revert" | "record"

export const PlaceActions = ({ store, past, place }: PlaceActionsProps) => {
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const isShown = place === null || past.shown.value === place
  return (
    <div class="place-actions">
      <button disabled={!isShown} onClick={() => setOpen("fork")}>
        Fork from here
      </button>
      <button disabled={!isShown || place === null} onClick={() => setOpen("revert")}>
        Revert to here
      </button>
      <button disabled={store.session.value === null} onClick={() => setOpen("record")}>
        Make a recording
      </button>
      {open === "fork" ? (
        <ForkDialog
          store={store}
          here={place === null ? "now" : `event ${place}`}
          findUuid={async () => {
            const last = await (place === null ? newestNow(store) : newestOf(past, isQueued))
            return last === undefined ? undefined : uuidOfPlace(store, place ?? store.seq.value, last)
          }}
          onClose={close}
        />
      ) : null}
      {open === "revert" && place !== null ? (
        <RevertDialog store={store} readFacts={() => factsOfPlace(store, past, place)} onClose={close} />
      ) : null}
      {open !== "record" ? null : isRecording(store) ? (
        <RecordDialog store={store} onClose={close} />
      ) : (
        <NotRecorded onClose={close} />
      )}
    </div>
  )
}

const isRecording = (store: SessionStore): boolean => {
  const runtime = store.session.value?.options["runtime"]
  return isPlainObject(runtime) && runtime["mode"] === "record"
}

interface Read {
  readonly conversation: SessionStore["conversation"]
  /** Null when the first message is loaded. */
  readonly cursor: string | null
}

type IsExcluded = (conversation: SessionStore["conversation"], id: string) => boolean

/** A fork continues after a message that the model has seen. */
const isQueued: IsExcluded = ({ queued }, id) => queued.value.includes(id)

/** The newest message of the main thread; older pages are loaded until there is one. */
const newestIn = async (read: () => Read, readOlder: () => Promise<void>, isExcluded: IsExcluded) => {
  for (;;) {
    const { conversation, cursor } = read()
    const found = conversation.ids.value.findLast((id) => {
      const info = conversation.message(id)?.info.peek()
      return info !== undefined && isOfMainThread(info) && !isExcluded(conversation, id)
    })
    if (found !== undefined || cursor === null) return messageOf(conversation, found)
    await readOlder()
    if (read().cursor === cursor) throw new Error("The messages of this place could not be loaded. Try again.")
  }
}

const newestNow = (store: SessionStore) =>
  newestIn(
    () => ({ conversation: store.conversation, cursor: store.olderCursor.value }),
    () => store.loadOlder(),
    isQueued,
  )

const newestOf = (past: Past, isExcluded: IsExcluded) =>
  newestIn(
    () => ({ conversation: past.conversation.value, cursor: past.cursor.value }),
    () => past.showEarlier(),
    isExcluded,
  )

const messageOf = (
  conversation: SessionStore["conversation"],
  id: string | undefined,
): MessageWithParts | undefined => {
  const message = id === undefined ? undefined : conversation.message(id)
  if (message === undefined) return undefined
  const parts = message.parts.value.flatMap((part) => {
    const found = conversation.part(part)
    return found === undefined ? [] : [found.value]
  })
  return { info: message.info.value, parts }
}

const NOTHING = { messages: 0, prompts: 0, first: "" }

const UNKNOWN = [null, null] as const

const factsOfPlace = async (store: SessionStore, past: Past, place: number): Promise<RevertFacts> => {
  const last = await newestOf(past, () => false)
  const now = await mainThreadFrom(store, last?.info.id)
  const target: RevertTarget | null =
    last === undefined ? firstOf(now.messages) : revertTarget(last, now.messages.slice(0, 2))
  if (target === null) return { target, hasRest: false, leaving: NOTHING, hasMore: false, files: [] }
  const next = now.messages.find(({ info }) => info.id === target.messageID)
  // Before the rest of a message, the files are those of the place.
  const cut = target.partID !== undefined || next === undefined ? place : await placeBefore(store, next.info, place)
  const [files, current] =
    cut === undefined ? UNKNOWN : await Promise.all([filesAt(store, cut), filesAt(store, undefined)])
  const isCut = target.partID !== undefined && last !== undefined
  const isWhole = isCut && isWholeRemoved(last, target, await answeredAfter(store, place))
  return {
    target,
    hasRest: isCut && !isWhole,
    leaving: removalSummary(now.messages.filter(({ info }) => isWhole || info.id !== last?.info.id)),
    hasMore: now.hasMore,
    files:
      files === null || current === null
        ? null
        : fileChanges(files, current).map(({ path, change }) => `${visibleText(path)} ${change}`),
  }
}

const firstOf = ([first]: ReadonlyArray<MessageWithParts>) =>
  first === undefined ? null : { messageID: first.info.id }
