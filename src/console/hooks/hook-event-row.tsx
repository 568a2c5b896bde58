// A hook event in a list: its time, name and outcome; when opened, its JSON as a tree, and a link to its session.
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { HookEventInfo } from "../../schemas/api/hooks.ts"
import { hashOf } from "../app/router.ts"
import { shortId } from "../app/session-id.ts"
import { CopyButton } from "../kit/copy-button.tsx"
import { lazily, momentFormat } from "../kit/format.ts"
import { JsonTree } from "../kit/json-tree.tsx"
import { summaryOf } from "./hook-facts.ts"

const moment = lazily(() => momentFormat({ month: "short", day: "numeric" }))

interface HookEventRowProps {
  readonly event: HookEventInfo
  /** Shown below the head, even while the row is closed. */
  readonly children?: ComponentChildren
}

export const HookEventRow = ({ event, children }: HookEventRowProps) => {
  const [isOpen, setOpen] = useState(false)
  const { id, session_id, seq, hook_event_name: name, at } = event
  return (
    <li class="event-row">
      <button class="event-head hook-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <time dateTime={at}>{moment().format(Date.parse(at))}</time>
        <span class="event-name">{name}</span>
        <span class="event-name event-turn">{summaryOf(event)}</span>
        <span class="event-seq" title={session_id}>
          …{shortId(session_id)} · {seq}
        </span>
      </button>
      {children}
      {isOpen ? (
        <div class="event-body">
          <JsonTree value={event} label={`Hook event ${name} at ${seq}`} depth={3} />
          <div class="event-actions">
            <a class="button" href={hashOf({ page: "session", id: session_id, screen: "chat" })}>
              Open the session
            </a>
            <a class="button" href={hashOf({ page: "session", id: session_id, screen: "time", at: seq })}>
              Show in Time
            </a>
            <a class="button" href={hashOf({ page: "hooks", tab: "events", session: session_id })}>
              Of this session only
            </a>
            <CopyButton label={`Copy ${id}`} text={JSON.stringify(event, null, 2)} />
          </div>
        </div>
      ) : null}
    </li>
  )
}
