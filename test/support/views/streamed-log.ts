// Receives a log of whole answers; returns it with the stream events that precede each of them, split as the caller specifies.
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import type { ViewEvent } from "../../../src/views/live/live-view.ts"

/** How a text arrives: `cut` returns its chunks. */
export type Cut = (text: string) => ReadonlyArray<string>

export const whole: Cut = (text) => [text]
export const letters: Cut = (text) => [...text]

export const streamEvent = (turn: string | null, event: Readonly<Record<string, unknown>>): ViewEvent =>
  // The line that the feed sends for an event without a seq.
  ({
    seq: null,
    at: 0,
    turn,
    name: "sdk:stream_event",
    uuid: "",
    parent: null,
    payload: { type: "stream_event", event, parent_tool_use_id: null, session_id: "", uuid: "" },
  }) as unknown as ViewEvent

interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
}

/** The stream events of the start of an answer, and of its blocks; without `ends` the last block stays open. */
export const answerStream = (
  turn: string | null,
  id: string,
  blocks: ReadonlyArray<Block>,
  cut: Cut,
  { begins = true, ends = true }: { readonly begins?: boolean; readonly ends?: boolean } = {},
): ReadonlyArray<ViewEvent> => [
  ...(begins ? [streamEvent(turn, { type: "message_start", message: { id, role: "assistant", content: [] } })] : []),
  ...blocks.flatMap((block, index) => [
    streamEvent(turn, {
      type: "content_block_start",
      index,
      content_block: { type: block.type, text: "", thinking: "" },
    }),
    ...deltasOf(block, cut).map((delta) => streamEvent(turn, { type: "content_block_delta", index, delta })),
    ...(ends || index < blocks.length - 1 ? [streamEvent(turn, { type: "content_block_stop", index })] : []),
  ]),
]

const deltasOf = ({ type, text = "", thinking = "" }: Block, cut: Cut) => {
  if (type === "text") return cut(text).map((piece) => ({ type: "text_delta", text: piece }))
  return type === "thinking" ? cut(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece })) : []
}

/** The log as it is streamed: each answer's stream events before the blocks that they produce. */
export const streamedLog = (log: ReadonlyArray<LogEvent>, cut: Cut): ReadonlyArray<ViewEvent> => {
  let open = ""
  return log.flatMap((event) => {
    const read = viewEventOf(event)
    if (event.name !== "sdk:assistant" || event.parent_tool_use_id !== null) return [read]
    const { id = "", content } = event.payload.message
    if (event.payload.is_api_error_message === true) return [read]
    const begins = id !== open
    open = String(id)
    // The test wrote it: a list of blocks.
    const blocks = content as ReadonlyArray<Block>
    const stream = answerStream(event.turn, open, blocks, cut, { begins, ends: false })
    return [...stream, read]
  })
}

interface RawEvent {
  readonly type: string
  readonly index?: number
  readonly content_block?: { readonly type: string }
  readonly delta?: { readonly text?: string; readonly thinking?: string }
}

/** What a reader receives that joins after these events: the answer that is streaming, its open block in one chunk. */
export const caughtUp = (events: ReadonlyArray<ViewEvent>): ReadonlyArray<ViewEvent> => {
  let start: ViewEvent | null = null
  let open: { readonly begun: ViewEvent; readonly type: string; text: string } | null = null
  for (const event of events) {
    if (event.name === "sdk:stream_event") {
      // `answerStream` built it.
      const raw = event.payload.event as unknown as RawEvent
      if (raw.type === "message_start") start = event
      if (raw.type === "content_block_start") open = { begun: event, type: raw.content_block?.type ?? "", text: "" }
      if (raw.type === "content_block_delta" && open !== null) open.text += raw.delta?.text ?? raw.delta?.thinking ?? ""
    } else if (event.name === "sdk:assistant") open = null
    else if (event.name === "call:finished") start = null
  }
  if (start === null) return []
  if (open === null) return [start]
  const { begun, type, text } = open
  const delta = type === "thinking" ? { type: "thinking_delta", thinking: text } : { type: "text_delta", text }
  return [start, begun, streamEvent(begun.turn, { type: "content_block_delta", delta })]
}
