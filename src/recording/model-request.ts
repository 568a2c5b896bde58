// Receives the requests of a session to the Messages API; returns what a recording stores of each.
// Invariant: messages, tools and system prompts are serialized and hashed once as long as they are the same object, and so is
// the rest of a request: a step costs what it adds to the conversation, and a recording contains each message once.
import { heldOf } from "../model/conversation-cache/held-message.ts"
import { immutableMessage, type ImmutableMessage } from "../model/conversation-cache/immutable-message.ts"
import type { MessagesRequest } from "../model/messages-api.ts"
import { withoutBreakpoints } from "../model/request/cache-breakpoint.ts"
import { toNamedMedia } from "../schemas/log/media-mark.ts"
import { normalised } from "./normalised.ts"
import { sha256 } from "../schemas/sha256.ts"
import { type ChunkList, hashedRequest, type HashedRequest, hashRequest, type Json } from "./request-hash.ts"

interface Piece {
  readonly hash: string
  /** The normalised JSON of the piece. */
  readonly text: string
}

/** The messages of a request: `chain[i]` is the hash of the first i + 1 of them. */
interface Chain {
  readonly messages: ReadonlyArray<ImmutableMessage>
  readonly hashes: ReadonlyArray<string>
  readonly chain: ReadonlyArray<string>
}

const NO_CHAIN: Chain = { messages: [], hashes: [], chain: [] }

/** The most cached frames. A session and its subagents have one each; a change of model or mode makes another. */
const MAX_FRAMES = 32

/** Whether the answer is streamed, and the betas of the request. */
export interface RequestForm {
  readonly streams: boolean
  readonly betas: ReadonlyArray<string>
}

export class ModelRequests {
  readonly #pieces = new WeakMap<object, Piece>()
  /** The chains, by the first message of their conversation. */
  readonly #chains = new WeakMap<ImmutableMessage, Chain>()
  /** The normalised JSON of requests without their messages, by what they are made of. */
  readonly #frames = new Map<string, string>()
  /** Hashes of the lists that were already returned as chunks. */
  readonly #given: Set<string>

  /** `stored` are the hashes of chunks that need not be returned again. */
  constructor(stored: Iterable<string> = []) {
    this.#given = new Set(stored)
  }

  /** The hashed form of a request. The caller must store all of its chunks, because later requests refer to them. */
  hash({ messages, tools, metadata: _, ...others }: MessagesRequest, form: RequestForm): HashedRequest {
    const chunks = new Map<string, string>()
    const frame = this.#frame({ ...others, ...form }, tools, chunks)
    const list = JSON.stringify(this.#messages(messages.map(immutableMessage), chunks))
    return hashedRequest(`${frame.slice(0, -1)},"messages":${list}}`, chunks)
  }

  /** The request without its messages: its normalised JSON. */
  #frame(others: object, tools: MessagesRequest["tools"], chunks: Map<string, string>): string {
    const system =
      "system" in others && typeof others.system === "object" && others.system !== null
        ? this.#piece(others.system)
        : null
    const own = JSON.stringify(system === null ? others : { ...others, system: { $chunk: system.hash } })
    const pieces = tools?.map((tool) => this.#piece(tool))
    const items = (pieces ?? []).map(({ hash }) => hash)
    const key = [own, ...items].join("\n")
    const known = this.#frames.get(key)
    if (known !== undefined) return known
    for (const { hash, text } of [...(system === null ? [] : [system]), ...(pieces ?? [])]) chunks.set(hash, text)
    const hashed = hashRequest({
      // `own` was serialized above.
      ...(JSON.parse(own) as Readonly<Record<string, Json>>),
      ...(pieces === undefined ? {} : { tools: items.length === 0 ? [] : this.#listed(items, chunks) }),
    })
    for (const [hash, text] of hashed.chunks) chunks.set(hash, text)
    if (this.#frames.size >= MAX_FRAMES) this.#frames.clear()
    this.#frames.set(key, hashed.json)
    return hashed.json
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
      chain.push(chainedHash(chain.at(-1), hash))
    }
    this.#chains.set(first, { messages, hashes, chain })
    return { $chunk: this.#list(hashes, chain, chunks) }
  }

  #listed(hashes: ReadonlyArray<string>, chunks: Map<string, string>): Json {
    const chain: Array<string> = []
    for (const hash of hashes) chain.push(chainedHash(chain.at(-1), hash))
    return { $chunk: this.#list(hashes, chain, chunks) }
  }

  /** Returns a list's hash; adds the list as a chunk: a reference to its longest known beginning, and the items after it. */
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

/** The hash of a list that extends the list with hash `before` by one item. */
const chainedHash = (before: string | undefined, item: string): string => sha256(`${before ?? ""}${item}`)

/** Leaves out cache breakpoints, which do not affect the answer. */
const withoutCacheControl = (key: string, value: unknown): unknown => (key === "cache_control" ? undefined : value)

const jsonOf = (message: ImmutableMessage): string => {
  const held = heldOf(message)
  return toNamedMedia(
    held === undefined
      ? JSON.stringify(withoutBreakpoints(message))
      : Buffer.concat(held.of.bytesAt(held.from, held.to)).toString("utf8"),
  )
}
