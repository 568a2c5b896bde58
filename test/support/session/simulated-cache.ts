// Receives the requests of a conversation in order; returns how much of each the API's prompt cache would have read. As the
// API: a breakpoint writes everything before it; a later request reads the longest written prefix, which is searched at most 20
// blocks before one of its own breakpoints.
const LOOK_BACK = 20

interface Body {
  readonly system?: unknown
  readonly tools?: ReadonlyArray<unknown>
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>
}

interface Piece {
  readonly json: string
  readonly marked: boolean
}

export interface CachedRequest {
  /** Characters of the request, and how many of them were cached. */
  readonly size: number
  readonly read: number
}

export class SimulatedCache {
  readonly #written = new Set<string>()

  request(body: Body): CachedRequest {
    const pieces = piecesOf(body)
    const beginnings: Array<string> = []
    let before = ""
    for (const { json } of pieces) beginnings.push((before = `${before}\n${json}`))
    let read = 0
    for (const [at, { marked }] of pieces.entries()) {
      if (!marked) continue
      for (let from = at; from > at - LOOK_BACK && from >= 0; from -= 1) {
        const beginning = beginnings[from] ?? ""
        if (this.#written.has(beginning)) {
          read = Math.max(read, beginning.length)
          break
        }
      }
    }
    for (const [at, { marked }] of pieces.entries()) if (marked) this.#written.add(beginnings[at] ?? "")
    return { size: before.length, read }
  }
}

/** Tools, system and messages, block by block, without the breakpoints. */
const piecesOf = ({ tools = [], system, messages }: Body): ReadonlyArray<Piece> => [
  ...[...tools, ...(Array.isArray(system) ? system : [])].map(pieceOf),
  ...messages.flatMap(({ role, content }) =>
    (Array.isArray(content) ? content : [content]).map((block) => {
      const piece = pieceOf(block)
      return { ...piece, json: `${role}${piece.json}` }
    }),
  ),
]

const pieceOf = (block: unknown): Piece => {
  if (typeof block !== "object" || block === null) return { json: JSON.stringify(block), marked: false }
  const { cache_control: mark, ...rest } = block as Readonly<Record<string, unknown>>
  return { json: JSON.stringify(rest), marked: mark !== undefined }
}
