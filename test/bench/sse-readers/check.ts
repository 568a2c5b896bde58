// Receives what a reader passed to its application; returns its errors: events without data, truncated JSON, durable events
// twice or out of order, texts that differ from the model's.

interface ReadEvent {
  readonly event: string
  readonly id: string
  readonly data: string
}

interface Message {
  readonly type?: string
  readonly uuid?: string
  readonly request_id?: string
  readonly payload?: Message
  readonly message?: { readonly content?: unknown }
}

export interface Verdict {
  readonly events: number
  readonly empty: number
  readonly cut: number
  readonly doubled: number
  readonly asks: number
  readonly settled: number
  readonly problems: ReadonlyArray<string>
}

/** `texts` are the texts that the model wrote, in order. `keepsIds`: the reader repeats the last id for events without one. */
export const verdictOf = (output: string, texts: ReadonlyArray<string>): Verdict => {
  const events = output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ReadEvent) // the reader printed it
  const messages: Array<{ readonly event: string; readonly id: string; readonly message: Message }> = []
  let [empty, cut] = [0, 0]
  for (const { event, id, data } of events) {
    if (data === "") empty += 1
    else {
      try {
        const parsed = JSON.parse(data) as Message
        messages.push({ event, id, message: parsed.payload ?? parsed })
      } catch {
        cut += 1
      }
    }
  }
  // Readers repeat the last id on events that have none, so the uuid identifies a repeated event.
  const names = messages.flatMap(({ event, message }) => (event === "ask" ? [] : [nameOf(message)].filter(isText)))
  const doubled = names.length - new Set(names).size
  const ids = messages.map(({ id }) => Number(id)).filter((id) => id > 0)
  const received = messages.flatMap(({ message }) => (message.type === "assistant" ? textsOf(message) : []))
  const problems = [
    ...(ids.some((id, index) => id < (ids[index - 1] ?? 0)) ? ["durable events out of order"] : []),
    ...(JSON.stringify(received) === JSON.stringify(texts) ? [] : ["texts differ from what the model wrote"]),
    ...(messages.at(-1)?.message.type === "result" ? [] : ["no result at the end"]),
  ]
  const count = (name: string) => messages.filter(({ event }) => event === name).length
  return { events: events.length, empty, cut, doubled, asks: count("ask"), settled: count("ask_settled"), problems }
}

/** Control frames are sent again to a client that reconnects, like asks. */
const nameOf = ({ type = "", uuid, request_id }: Message): string | undefined =>
  type.startsWith("control_") ? undefined : (uuid ?? request_id)

const isText = (value: string | undefined): value is string => value !== undefined

const textsOf = ({ message }: Message): ReadonlyArray<string> =>
  Array.isArray(message?.content)
    ? (message.content as ReadonlyArray<{ type: string; text?: string }>).flatMap(({ text }) =>
        text === undefined ? [] : [text],
      )
    : []
