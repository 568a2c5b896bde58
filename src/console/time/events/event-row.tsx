// A raw event: its seq, time, name and turn; when opened, its JSON as a tree, for copying, or as a signal or SDK message.
import { useState } from "preact/hooks"
import { hashOf } from "../../app/router.ts"
import { lazily, momentFormat } from "../../kit/format.ts"
import { JsonTree } from "../../kit/json-tree.tsx"
import type { RawEvent } from "../past/marks.ts"
import { RawFormats } from "./raw-formats.tsx"

const clock = lazily(() => momentFormat({ fractionalSecondDigits: 3 }))

interface EventRowProps {
  readonly session: string
  readonly event: RawEvent
  /** The number of its turn, from 1; undefined for an event that belongs to no turn. */
  readonly turn: number | undefined
}

export const EventRow = ({ session, event, turn }: EventRowProps) => {
  const [isOpen, setOpen] = useState(false)
  const { seq, name, at } = event
  return (
    <div class="event-row" role="listitem">
      <button class="event-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="event-seq">{seq}</span>
        <time dateTime={new Date(at).toISOString()}>{clock().format(at)}</time>
        <span class="event-name">{name}</span>
        <span class="event-turn">{turn === undefined ? "" : `turn ${turn}`}</span>
      </button>
      {isOpen ? (
        <div class="event-body">
          <JsonTree value={event} label={`Event ${seq}`} depth={2} />
          <div class="event-actions">
            <a class="button" href={hashOf({ page: "session", id: session, screen: "time", at: seq })}>
              Show in Time
            </a>
            <RawFormats session={session} event={event} />
          </div>
        </div>
      ) : null}
    </div>
  )
}
