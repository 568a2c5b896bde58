// The parts of a small request, and the positions of its messages' breakpoints.
import { immutableMessage } from "../../../src/model/conversation-cache/immutable-message.ts"
import type { Message } from "../../../src/model/request/message-blocks.ts"
import type { RequestParts } from "../../../src/model/request/request.ts"

export const CACHED = { type: "ephemeral" } as const

type More = Omit<Partial<RequestParts>, "messages"> & { readonly messages?: ReadonlyArray<Message> }

/** One message, or the given ones, with a system prompt and a tool. */
export const parts = ({ messages = [{ role: "user", content: "hi" }], ...more }: More = {}): RequestParts => ({
  model: "claude-opus-5-5",
  system: [{ type: "text", text: "be kind", cache_control: CACHED }],
  messages: messages.map(immutableMessage),
  tools: [{ name: "Read", input_schema: { type: "object" } }],
  sessionId: "0199",
  ...more,
})

/** The positions of the messages' breakpoints, as message/block. */
export const breakpoints = (messages: ReadonlyArray<{ readonly content: unknown }>): ReadonlyArray<string> =>
  messages.flatMap(({ content }, at) =>
    Array.isArray(content)
      ? content.flatMap((block, index) => ("cache_control" in block ? [`${at}/${index}`] : []))
      : [],
  )
