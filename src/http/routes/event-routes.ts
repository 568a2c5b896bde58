// The routes that read the log, in pages and live as server-sent events, and the route to which official clients send frames.
// Invariant: the cursor that a reader sends back continues exactly where its last stream ended.
import * as Effect from "effect/Effect"
import { withAsks } from "../../views/with-asks.ts"
import { clientView } from "../../views/client.ts"
import { sdkView, type View } from "../../views/sdk.ts"
import { signalView } from "../../views/signal.ts"
import { signalName } from "../../schemas/log/event-signal.ts"
import { contract } from "../contract/contract.ts"
import { type ApiError, invalidField } from "../errors/errors.ts"
import { callObject } from "../object-call.ts"
import { feedOf, type FeedStart } from "../socket/feed-socket.ts"
import { type App, type Caller, handle, json } from "../handle.ts"
import { callSession } from "../sessions/session-call.ts"
import { passed, sessionPage } from "../sessions/session-page.ts"
import { isLiveFormat, type LiveFormat, type LiveOptions, optionFault, strayOption } from "../contract/live-formats.ts"
import { type FactsReader, SSE_HEADERS } from "../stream/sse.ts"
import { sseResponse } from "../stream/sse-response.ts"
import { viewPage } from "../stream/view-page.ts"
import { viewOf } from "../stream/views.ts"
import { lastEventId } from "../stream/last-event-id.ts"
import { mediaOf } from "../stream/media-source.ts"

export const eventRoutes = (app: App): void => {
  handle(
    app,
    contract.pageEvents,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      const { after = 0, limit = 100, order = "asc", format } = query
      if (isLiveFormat(format)) {
        const stray = strayOption(format, query, ["order", "name"])
        if (stray !== undefined) return yield* notFor(stray, format)
        yield* checkOptions(query)
        const page = yield* sessionPage(caller, params.id, "facts", { after, limit })
        const media = mediaOf(() => caller.session(params.id))
        return yield* Effect.promise(async () => viewPage(page, await viewOf(format, params.id, query), media))
      }
      const stray = strayOption(format, query)
      if (stray !== undefined) return yield* notFor(stray, format)
      const wanted = { after, limit, order, format, ...namesOf(query.name, format === "signal") }
      return passed(yield* sessionPage(caller, params.id, "events", wanted))
    }),
  )

  handle(
    app,
    contract.streamEvents,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      const { actor, request, session } = caller
      const after = yield* cursorOf(caller, query.after)
      const reader = yield* readerOf(query, params.id)
      const open = feedOf(() => session(params.id), reader.feed, actor)
      if (request.method === "HEAD") {
        yield* callSession(session, params.id, (stub) => stub.info())
        return new Response(null, { headers: SSE_HEADERS })
      }
      const first = yield* callObject("session", () => open(after))
      return sseResponse(caller, {
        first,
        open,
        after,
        view: reader.view,
        ...(reader.facts === undefined ? {} : { facts: reader.facts }),
        media: mediaOf(() => session(params.id)),
      })
    }),
  )

  handle(
    app,
    contract.sendEvents,
    Effect.fnUntraced(function* ({ params, query, body }, { actor, session }) {
      if (body.session_id !== undefined && body.session_id !== params.id) {
        return yield* invalidField("session_id", "differs from the session in the path")
      }
      const frames = body.events.map(({ payload }) => payload)
      // May be retried after a restart, since the session recognizes by its uuid a frame that it has received already.
      const received = callSession(session, params.id, (stub) =>
        stub.clientFrames(query.client ?? SSE_CLIENT, frames, actor),
      )
      return json(200, yield* received)
    }),
  )
}

/** The default name of a client, which is enough for one browser at a time. */
const SSE_CLIENT = "sse"

/** An event's exact name is looked up; a pattern, or the name of a signal, is matched. */
const namesOf = (
  name: string | undefined,
  isSignal: boolean,
): { readonly name?: string; readonly pattern?: string } => {
  if (name === undefined) return {}
  return isSignal || name.includes("*") ? { pattern: signalName(name) } : { name }
}

interface Reader {
  readonly view: View
  readonly facts?: FactsReader
  readonly feed: Parameters<typeof feedOf>[1]
}

/** The refusal of a parameter of another format. */
const notFor = (name: string, format = "sdk") => invalidField(name, `is not for format=${format}`)

const checkOptions = (query: LiveOptions): Effect.Effect<void, ApiError> => {
  const fault = optionFault(query)
  return fault === undefined ? Effect.void : invalidField("minChars", fault)
}

/** The view that a reader requests, and the feed that it needs. */
const readerOf = Effect.fnUntraced(function* (
  query: LiveOptions & {
    readonly format?: "sdk" | "client" | "signal" | LiveFormat
    readonly name?: string
    readonly partials?: boolean
    readonly client?: string
  },
  id: string,
): Effect.fn.Return<Reader, ApiError> {
  const { format } = query
  const stray = strayOption(format, query, ["name", "partials", "client"])
  if (stray !== undefined) return yield* notFor(stray, format)
  if (isLiveFormat(format)) {
    yield* checkOptions(query)
    const facts = yield* Effect.promise(() => viewOf(format, id, query))
    return { view: facts.view, facts, feed: { facts: "1" } }
  }
  if (format === "signal") {
    const unused = (["client", "partials"] as const).find((one) => query[one] !== undefined)
    if (unused !== undefined) return yield* notFor(unused, format)
    return { view: signalView, feed: { signals: signalName(query.name ?? "**") } }
  }
  if (query.name !== undefined) return yield* invalidField("name", "is only for format=signal")
  if (format === "client") {
    const partials = query.partials === false ? {} : { partials: "true" as const }
    return { view: clientView, feed: { ...partials, client: query.client ?? SSE_CLIENT } }
  }
  if (query.client !== undefined) return yield* invalidField("client", "is only for format=client")
  return { view: withAsks(sdkView), feed: query.partials === true ? { partials: "true" as const } : {} }
})

/** `Last-Event-ID`, which a reconnecting EventSource sends, overrides `after` in its unchanged URL. */
const cursorOf = ({ request }: Caller, after: FeedStart = 0): Effect.Effect<FeedStart, ApiError> =>
  Effect.map(lastEventId(request), (last) => last ?? after)
