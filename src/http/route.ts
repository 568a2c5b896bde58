// The type of a row of the route table, and `route`, which creates one.
// Invariant: validation and `/openapi.json` read the same row, so that they can't disagree.
import type * as Schema from "effect/Schema"
import type { Scope, TicketRole } from "../schemas/access.ts"
import type { ErrorType } from "../schemas/errors/rpc-error.ts"
import type { FieldRules } from "../schemas/sdk/status/field-rules.ts"
import type { HeaderName } from "./contract/headers.ts"
import type { Tag } from "./contract/tags.ts"

/** A schema that needs no services, as all schemas of the API. */
export type Shape<A = unknown> = Schema.Codec<A, unknown>

/** Who may call: with `none` everyone, otherwise every API key that has the scope. The root key has all scopes. */
export type RouteAuth = "none" | Scope

export interface Answer {
  readonly description: string
  /** The shape of a JSON body; without it the body has one of the types in `contentType`. */
  readonly body?: Schema.Top
  readonly contentType?: string | ReadonlyArray<string>
  /** The shape of the JSON data of server-sent events; if `body` is set too, only for requests that accept an event stream. */
  readonly events?: Schema.Top
  /** Headers in addition to those of every answer. */
  readonly headers?: ReadonlyArray<HeaderName>
}

export interface Route<Params = unknown, Query = unknown, Body = unknown> {
  readonly id: string
  readonly method: "get" | "post" | "put" | "patch" | "delete"
  /** With OpenAPI's braces: `/v1/sessions/{id}`. `{path}` at the end matches the rest, slashes included. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly tag: Tag
  readonly auth: RouteAuth
  /** A ticket with one of these roles may call the route too. */
  readonly ticket?: ReadonlyArray<TicketRole>
  /** A WebSocket client may send its credentials as its first line. */
  readonly firstLine?: true
  readonly params?: Shape<Params>
  readonly query?: Shape<Query>
  readonly body?: Shape<Body>
  /** Rules for top-level fields that `body` does not have: harmless ones are ignored, others are refused with a reason. */
  readonly fields?: FieldRules
  /** The most bytes of a JSON body; 1 MiB by default. */
  readonly bodyLimit?: number
  /** The body is raw bytes instead of JSON, passed on as they arrive. */
  readonly bytes?: true
  /** Runs once per Idempotency-Key: a repetition gets the answer of the first request. `onceRoute` sets it. */
  readonly once?: true
  /** Request headers with a meaning, for the document. */
  readonly headers?: Readonly<Record<string, string>>
  readonly answers: Readonly<Record<number, Answer>>
  /** Errors in addition to those of every route. */
  readonly errors?: ReadonlyArray<ErrorType>
  readonly example?: unknown
}

/** The argument of a handler: the decoded parts that its route declares. */
export interface Input<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
}

/** Returns the row with the types that its schemas imply. */
export const route = <Params = unknown, Query = unknown, Body = unknown>(
  row: Route<Params, Query, Body>,
): Route<Params, Query, Body> => row

/** Whether the query is decoded and unknown parameters are refused: by every row but GETs without a key, such as `/healthz`. */
export const readsQuery = ({ auth, method, query }: Pick<Route, "auth" | "method" | "query">): boolean =>
  query !== undefined || auth !== "none" || method !== "get"

/** Converts a path to Hono's syntax. */
export const honoPath = (path: string): string =>
  path.replace(/\{path\}$/, ":path{[\\s\\S]+}").replace(/\{(\w+)\}/g, ":$1")
