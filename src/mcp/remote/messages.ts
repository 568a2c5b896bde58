// Receives the body of a server's answer; returns the JSON-RPC messages in it, as JSON or as a stream of events.
// Invariant: a message of more than MAX_MESSAGE bytes is never held, and secrets that the server repeats are taken out of a
// message before it is read.
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { makeParser } from "effect/encoding/Sse"
import { readUpTo } from "../../net/read-body.ts"
import { parseJson } from "../../schemas/bounded-json.ts"
import { JsonRpcMessage } from "../../schemas/sdk/options/mcp-config.ts"
import { failed } from "./remote-error.ts"

/** Of one message, in bytes: an image of the largest size that the Messages API takes fits. */
export const MAX_MESSAGE = 12 * 1024 * 1024

/** An event of a stream: its name, its id when it has one, and its data. */
export interface StreamEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

const isMessage = Schema.is(JsonRpcMessage)

/** The messages of a text: one, or a list of them. What is none is left out. */
export const messagesIn = (text: string, clean: (text: string) => string): ReadonlyArray<JsonRpcMessage> => {
  const parsed = parseJson(clean(text))
  if (Result.isFailure(parsed)) throw failed(`The server's answer ${parsed.failure.message}.`)
  const all: ReadonlyArray<unknown> = Array.isArray(parsed.success) ? parsed.success : [parsed.success]
  return all.filter(isMessage)
}

/** The text of an answer that is no stream. */
export const textOf = async (response: Response): Promise<string> => {
  const { bytes, cut } = await readUpTo(response.body, MAX_MESSAGE)
  if (cut) {
    void response.body?.cancel().catch(() => undefined)
    throw TOO_LARGE
  }
  return new TextDecoder().decode(bytes)
}

const TOO_LARGE = failed(`The server's answer has more than ${MAX_MESSAGE} bytes.`)

/**
 * The events of a stream until it ends; rejects when it breaks off. Ending the loop early ends the stream. `onRetry` receives
 * how many milliseconds the server asks to wait before the stream is opened again.
 */
export async function* eventsOf(
  body: ReadableStream<Uint8Array> | null,
  onRetry: (milliseconds: number) => void = () => undefined,
): AsyncGenerator<StreamEvent> {
  if (body === null) return
  const events: Array<StreamEvent> = []
  const parser = makeParser(
    (event) => {
      if (event._tag === "Event") events.push({ event: event.event, id: event.id, data: event.data })
      else onRetry(Duration.toMillis(event.duration))
    },
    { maxEventSize: MAX_MESSAGE },
  )
  const decoder = new TextDecoder()
  const reader = body.getReader()
  try {
    for (let ended = false; !ended;) {
      const { done, value } = await reader.read()
      const tooLarge = parser.feed(done ? decoder.decode() : decoder.decode(value, { stream: true }))
      yield* events.splice(0)
      if (tooLarge !== undefined) throw TOO_LARGE
      ended = done
    }
  } finally {
    // A stream that has ended, or broken off, has nothing to cancel.
    void reader.cancel().catch(() => undefined)
  }
}
