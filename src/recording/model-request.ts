// Receives the requests of a session to the Messages API; returns what a recording keeps of each.
// Invariant: a message, a tool and a system prompt are written and hashed once as long as they are the same object: a step
// costs what it adds to the conversation, and a recording holds each message once.
import { heldOf } from "../model/conversation-cache/held-message.ts"
import { immutableMessage, type ImmutableMessage } from "../model/conversation-cache/immutable-message.ts"
import type { MessagesRequest } from "../model/messages-api.ts"
import { withoutBreakpoints } from "../model/request/cache-breakpoint.ts"
import { toNamedMedia } from "../schemas/log/media-mark.ts"
import { normalised } from "./normalised.ts"
import { type ChunkList, type HashedRequest, hashRequest, type Json, sha256 } from "./request-hash.ts"

interface Piece {
  readonly hash: string
  /** Its normalised JSON. */
  readonly text: string
}

/** The messages of a request: `chain[i]` is the hash of the first i + 1 of them. */
interface Chain {
  readonly messages: ReadonlyArray<ImmutableMessage>
  readonly hashes: ReadonlyArray<string>
  readonly chain: ReadonlyArray<string>
}

const NO_CHAIN: Chain = { messages: [], hashes: [], chain: [] }

/** Whether an answer is streamed, and the betas that it is asked with. */
export interface RequestForm {
  readonly streams: boolean
  readonly betas: ReadonlyArray<string>
}

export class ModelRequests {
  readonly #pieces = new WeakMap<object, Piece>()
  /** By the first message of the conversation. */
  readonly #chains = new WeakMap<ImmutableMessage, Chain>()
  /** Lists of messages that were given as chunks already. */
  readonly #given: Set<string>

  /** `stored` are chunks that need not be given again. */
  constructor(stored: Iterable<string> = []) {
    this.#given = new Set(stored)
  }

  /** The caller stores all chunks of what this returns: a later request refers to them. */
  hash({ messages, tools, metadata: _, ...rest }: MessagesRequest, form: RequestForm): HashedRequest {
    const chunks = new Map<string, string>()
    const kept = (value: object): Json => {
      const { hash, text } = this.#piece(value)
      chunks.set(hash, text)
      return { $chunk: hash }
    }
    const { system, ...others } = rest
    const whole: Record<string, unknown> = {
      ...others,
      ...form,
      ...(typeof system === "object" && system !== null ? { system: kept(system) } : { system }),
      ...(tools === undefined ? {} : { tools: tools.map(kept) }),
      messages: this.#messages(messages.map(immutableMessage), chunks),
    }
    const plain = JSON.parse(JSON.stringify(whole)) as Json
    const hashed = hashRequest(plain)
    return { ...hashed, chunks: new Map([...hashed.chunks, ...chunks]) }
  }

  #piece(value: object): Piece {
    const known = this.#pieces.get(value)
    if (known !== undefined) return known
    const text = normalised(JSON.stringify(value, withoutCacheControl))
    const piece = { hash: sha256(text), text }
    this.#pieces.set(value, piece)
    return piece
  }

  #message(message: ImmutableMessage): Piece {
    const known = this.#pieces.get(message)
    if (known !== undefined) return known
    const text = normalised(jsonOf(message))
    const piece = { hash: sha256(text), text }
    this.#pieces.set(message, piece)
    return piece
  }

  #messages(messages: ReadonlyArray<ImmutableMessage>, chunks: Map<string, string>): Json {
    const [first] = messages
    if (first === undefined) return []
    const before = this.#chains.get(first) ?? NO_CHAIN
    let same = 0
    while (same < messages.length && messages[same] === before.messages[same]) same += 1
    const hashes = before.hashes.slice(0, same)
    const chain = before.chain.slice(0, same)
    for (const message of messages.slice(same)) {
      const { hash, text } = this.#message(message)
      chunks.set(hash, text)
      hashes.push(hash)
      chain.push(sha256(`${chain.at(-1) ?? ""}${hash}`))
    }
    this.#chains.set(first, { messages, hashes, chain })
    return { $chunk: this.#list(hashes, chain, chunks) }
  }

  /** The list as the longest one that was given before, and what it has behind that. */
  #list(hashes: ReadonlyArray<string>, chain: ReadonlyArray<string>, chunks: Map<string, string>): string {
    const own = chain.at(-1) ?? ""
    if (this.#given.has(own)) return own
    const after = chain.findLastIndex((hash) => this.#given.has(hash))
    const list: ChunkList = { $after: chain[after] ?? null, $items: hashes.slice(after + 1) }
    chunks.set(own, JSON.stringify(list))
    this.#given.add(own)
    return own
  }
}

/** Where the API may keep a place in its cache changes no answer. */
const withoutCacheControl = (key: string, value: unknown): unknown => (key === "cache_control" ? undefined : value)

const jsonOf = (message: ImmutableMessage): string => {
  const held = heldOf(message)
  return toNamedMedia(
    held === undefined
      ? JSON.stringify(withoutBreakpoints(message))
      : Buffer.concat(held.of.bytesAt(held.from, held.to)).toString("utf8"),
  )
}
