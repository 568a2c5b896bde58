// A message of a conversation's beginning that is held as JSON; its blocks are made anew whenever they are read.
// Invariant: it is as requests send it: images are numbered, and there is no cache breakpoint in it.
import type { Immutable, ImmutableMessage } from "./immutable-message.ts"
import type { Block } from "../request/message-blocks.ts"

/** Where the JSON of a conversation's beginning is. */
export interface HeldJson {
  /** Blocks of the message at these bytes. */
  readonly contentAt: (from: number, to: number) => ReadonlyArray<Block>
  /** The bytes, in pieces. */
  readonly bytesAt: (from: number, to: number) => ReadonlyArray<Uint8Array>
  /** True when there are marks of media in it. */
  readonly marked: boolean
  /** Images of prompts that it numbers. */
  readonly images: number
}

export class HeldMessage {
  readonly role: "user" | "assistant"
  /** True when the user wrote a text of it: no reminder, and no result. */
  readonly hasOwnText: boolean
  readonly of: HeldJson
  /** Its place in the bytes; a comma follows it. */
  readonly from: number
  readonly to: number

  constructor(of: HeldJson, role: "user" | "assistant", hasOwnText: boolean, from: number, to: number) {
    this.of = of
    this.role = role
    this.hasOwnText = hasOwnText
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

/** The same for requests: it is never changed. */
export const heldMessage = (message: HeldMessage): Immutable<HeldMessage> => message as Immutable<HeldMessage>

/** The held message that this one is, if it is one. */
export const heldOf = (message: ImmutableMessage): HeldMessage | undefined => {
  const given: object = message
  return given instanceof HeldMessage ? given : undefined
}
