// Receives a log of whole answers; returns it with the stream events that came before each of them, cut as the caller says.
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import type { ViewEvent } from "../../../src/views/live/live-view.ts"

/** How a text comes: `cut` gives the pieces of it. */
export type Cut = (text: string) => ReadonlyArray<string>

export const whole: Cut = (text) => [text]
export const letters: Cut = (text) => [...text]

export const streamEvent = (turn: string | null, event: Readonly<Record<string, unknown>>): ViewEvent =>
  // What the feed sends of an event that has no place in the log.
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

/** The stream events of an answer that begins, and of blocks of it; without `ends` the last one goes on. */
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

/** The log as a stream of it comes: each answer's events before the block that they make. */
export const streamedLog = (log: ReadonlyArray<LogEvent>, cut: Cut): ReadonlyArray<ViewEvent> => {
  let open = ""
  return log.flatMap((event) => {
    const read = viewEventOf(event)
    if (event.name !== "sdk:assistant" || event.parent_tool_use_id !== null) return [read]
    const { id = "", content } = event.payload.message
    if (event.payload.is_api_error_message === true) return [read]
    const begins = id !== open
    open = String(id)
    // As the test wrote it: a list of blocks.
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

/** What a reader gets who joins behind these events: the answer that streams, its open block in one piece. */
export const caughtUp = (events: ReadonlyArray<ViewEvent>): ReadonlyArray<ViewEvent> => {
  let start: ViewEvent | null = null
  let open: { readonly begun: ViewEvent; readonly type: string; text: string } | null = null
  for (const event of events) {
    if (event.name === "sdk:stream_event") {
      // As `answerStream` made it.
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
