// Pages that a server's user must visit before the server executes a call (error -32042). Receives the call; returns its
// result after the user has visited them.
// Invariant: the call is sent again only after the server refused it with this error, and a bounded number of times. When
// the user declines, the call fails.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const MAX_PAGES = 5
/** The most pages that the user is asked to visit for one call. */
const MAX_ASKS = 3
/** How long to wait for the server to announce that the user is done. */
const NOTICE_MS = 300_000

export const NeededPage = Schema.Struct({
  message: Schema.String,
  url: Schema.String,
  elicitationId: Schema.String.check(Schema.isMaxLength(1000)),
})
export type NeededPage = typeof NeededPage.Type

const Data = Schema.Struct({
  elicitations: Schema.Array(NeededPage).check(Schema.isMinLength(1), Schema.isMaxLength(MAX_PAGES)),
})
const isData = Schema.is(Data)

/** The pages in the error's data; undefined when it has no valid ones. */
export const pagesIn = (data: unknown): ReadonlyArray<NeededPage> | undefined =>
  isData(data)
    ? data.elicitations.map(({ message, url, elicitationId }) => ({ message, url, elicitationId }))
    : undefined

/** How a server's user is asked to visit pages. */
export interface Visits {
  /** Asks the user; false when they decline, or can't be asked. */
  readonly ask: (page: NeededPage) => Effect.Effect<boolean>
  /** Resolves when the server announces that it is done with all of the pages. */
  readonly done: (elicitationIds: ReadonlyArray<string>) => Effect.Effect<void>
}

interface NeedsPages {
  readonly message: string
  readonly pages?: ReadonlyArray<NeededPage>
}

export const visiting = <A, E extends NeedsPages>(
  call: Effect.Effect<A, E>,
  visits: Visits | undefined,
): Effect.Effect<A, E | NeedsPages> =>
  visits === undefined ? call : Effect.catch(call, (refused) => visitedFirst(call, refused, visits))

const visitedFirst = Effect.fnUntraced(function* <A, E extends NeedsPages>(
  call: Effect.Effect<A, E>,
  first: E,
  visits: Visits,
): Effect.fn.Return<A, E | NeedsPages> {
  const visited = new Set<string>()
  let refused = first
  let noticed = false
  for (let asks = 0; ;) {
    const { pages } = refused
    if (pages === undefined) return yield* Effect.fail(refused)
    const more = pages.filter(({ elicitationId }) => !visited.has(elicitationId))
    if (more.length === 0) {
      // The user may still be on the page: wait once for the server's announcement.
      if (noticed) return yield* Effect.fail(refused)
      noticed = true
      yield* Effect.timeoutOption(visits.done(pages.map(({ elicitationId }) => elicitationId)), NOTICE_MS)
    }
    for (const page of more) {
      asks += 1
      if (asks > MAX_ASKS) return yield* Effect.fail(refused)
      if (!(yield* visits.ask(page))) return yield* Effect.fail({ message: `${refused.message} ${NOT_VISITED}` })
      visited.add(page.elicitationId)
    }
    const answer = yield* Effect.result(call)
    if (answer._tag === "Success") return answer.success
    refused = answer.failure
  }
})

const NOT_VISITED = "The user did not visit the page that the server needs them to visit."
