// A message from the start of a conversation that is stored as JSON; its blocks are parsed again whenever they are read.
// Invariant: the message has the form that requests send: images are numbered, and it has no cache breakpoint.
import type { Immutable, ImmutableMessage } from "./immutable-message.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"

/** The store of the JSON of a conversation's first messages. */
export interface HeldJson {
  /** Blocks of the message at these byte offsets. */
  readonly contentAt: (from: number, to: number) => ReadonlyArray<Block>
  /** The bytes between two offsets, in pieces. */
  readonly bytesAt: (from: number, to: number) => ReadonlyArray<Uint8Array>
  /** True when the JSON contains media marks. */
  readonly marked: boolean
  /** How many images of prompts are numbered in it. */
  readonly images: number
}

export class HeldMessage {
  readonly role: "user" | "assistant"
  readonly of: HeldJson
  /** Byte offsets of the message's JSON, which a comma follows. */
  readonly from: number
  readonly to: number
  readonly model: string | undefined

  constructor(of: HeldJson, role: "user" | "assistant", model: string | undefined, from: number, to: number) {
    this.of = of
    this.role = role
    this.model = model
    this.from = from
    this.to = to
  }

  get content(): ReadonlyArray<Block> {
    return this.of.contentAt(this.from, this.to)
  }

  toJSON(): { readonly role: string; readonly content: ReadonlyArray<Block> } {
    return { role: this.role, content: this.content }
  }
}

/** The message in the type that requests take: it is never changed in place. */
export const heldMessage = (message: HeldMessage): Immutable<HeldMessage> => message as Immutable<HeldMessage>

/** The message as a HeldMessage; undefined when it is another kind. */
export const heldOf = (message: ImmutableMessage): HeldMessage | undefined => {
  const given: object = message
  return given instanceof HeldMessage ? given : undefined
}
