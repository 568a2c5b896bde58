// Receives the pieces of a text as they arrive; returns the blocks that a channel sends, with the directives of each block.
// Invariant: a directive belongs to the block that contains it, or to the first of the two blocks that it separates; a reply
// target applies to the rest of its message.
import type { BlockReplyChunking } from "../../../schemas/interop/reply-settings.ts"
import type { BlockReply } from "../reply-steps.ts"
import type { Directive, Piece } from "../text/pieces.ts"
import { type Block, BlockChunker } from "./block-chunker.ts"

/** The message that later blocks answer: `id`, or with `current` the message that started the run. */
export interface ReplyTarget {
  readonly id?: string
  readonly current: boolean
}

export const NO_TARGET: ReplyTarget = { current: false }

const UNBOUNDED = { minChars: Number.POSITIVE_INFINITY, maxChars: Number.POSITIVE_INFINITY }

const NOTHING: ReadonlyArray<BlockReply> = []

interface Mark {
  readonly at: number
  readonly directive: Directive
}

export class BlockReplies {
  readonly #chunker: BlockChunker
  readonly #currentId: string | undefined
  #target: ReplyTarget
  #length = 0
  #marks: ReadonlyArray<Mark> = []

  constructor(options: {
    readonly chunking: BlockReplyChunking | undefined
    readonly currentId: string | undefined
    readonly target: ReplyTarget
  }) {
    this.#chunker = new BlockChunker(options.chunking ?? UNBOUNDED)
    this.#currentId = options.currentId
    this.#target = options.target
  }

  get target(): ReplyTarget {
    return this.#target
  }

  /** Returns the blocks that are complete. With `hold`, all blocks are kept for `flush`. */
  push(piece: Piece, hold = false): ReadonlyArray<BlockReply> {
    if (piece.kind === "thinking") return NOTHING
    if (piece.kind !== "text") {
      this.#marks = [...this.#marks, { at: this.#length, directive: piece }]
      return NOTHING
    }
    this.#length += piece.text.length
    if (hold) {
      this.#chunker.hold(piece.text)
      return NOTHING
    }
    const blocks = this.#chunker.append(piece.text)
    return blocks.length === 0 ? NOTHING : blocks.map((block) => this.#reply(block, block.next))
  }

  flush(): ReadonlyArray<BlockReply> {
    const blocks = this.#chunker.flush()
    const replies = blocks.map((block, index) =>
      this.#reply(block, index === blocks.length - 1 ? Number.POSITIVE_INFINITY : block.next),
    )
    const rest = this.#marks.length > 0 ? this.#reply(null, Number.POSITIVE_INFINITY) : null
    return rest === null || isEmpty(rest) ? replies : [...replies, rest]
  }

  #reply(block: Block | null, until: number): BlockReply {
    const directives = this.#marks.filter(({ at }) => at <= until).map(({ directive }) => directive)
    this.#marks = this.#marks.filter(({ at }) => at > until)
    for (const directive of directives) this.#turnTo(directive)
    const mediaUrls = directives.flatMap((one) => (one.kind === "media" ? [one.url] : []))
    const react = directives.find((one) => one.kind === "react")
    const { id = this.#target.current ? this.#currentId : undefined, current } = this.#target
    return {
      ...(block === null ? {} : { text: block.text }),
      ...mediaOf(mediaUrls),
      ...(id === undefined ? {} : { replyToId: id }),
      ...(current ? { replyToCurrent: true } : {}),
      ...(current || this.#target.id !== undefined ? { replyToTag: true } : {}),
      ...(directives.some(({ kind }) => kind === "audio") ? { audioAsVoice: true } : {}),
      ...(react === undefined ? {} : { reaction: reactionOf(react) }),
    }
  }

  /** Updates the target. An explicit id takes precedence over the message that started the run. */
  #turnTo(directive: Directive): void {
    if (directive.kind !== "reply") return
    this.#target = directive.id === null ? { ...this.#target, current: true } : { ...this.#target, id: directive.id }
  }
}

const mediaOf = (mediaUrls: ReadonlyArray<string>): Pick<BlockReply, "mediaUrl" | "mediaUrls"> => {
  const [mediaUrl] = mediaUrls
  return mediaUrl === undefined ? {} : { mediaUrl, mediaUrls }
}

const reactionOf = ({ emoji, current }: { readonly emoji: string; readonly current: boolean }) =>
  current ? { emoji, replyToCurrent: true } : { emoji }

/** True for a reply that has only a target: it is not sent. */
const isEmpty = ({ text, mediaUrl, audioAsVoice, reaction }: BlockReply): boolean =>
  text === undefined && mediaUrl === undefined && audioAsVoice === undefined && reaction === undefined
