// The type of a row of the route table, and how to write one.
// Invariant: validation and `/openapi.json` read the same row, so that they cannot disagree.
import type * as Schema from "effect/Schema"
import type { Scope, TicketRole } from "../schemas/access.ts"
import type { ErrorType } from "../schemas/errors/rpc-error.ts"
import type { FieldRules } from "../schemas/sdk/status/field-rules.ts"
import type { HeaderName } from "./contract/headers.ts"
import type { Tag } from "./contract/tags.ts"

/** A schema that needs no services: all that the API uses. */
export type Shape<A = unknown> = Schema.Codec<A, unknown>

/** Who may call: with `none` everyone, otherwise every API key with the scope. The root key has all of them. */
export type RouteAuth = "none" | Scope

export interface Answer {
  readonly description: string
  /** JSON of this shape; without it the body is of one of the types of `contentType`. */
  readonly body?: Schema.Top
  readonly contentType?: string | ReadonlyArray<string>
  /** Server-sent events whose data is JSON of this shape; with `body` for those who accept them. */
  readonly events?: Schema.Top
  /** Headers besides those that every answer has. */
  readonly headers?: ReadonlyArray<HeaderName>
}

export interface Route<Params = unknown, Query = unknown, Body = unknown> {
  readonly id: string
  readonly method: "get" | "post" | "put" | "patch" | "delete"
  /** With OpenAPI's braces: `/v1/sessions/{id}`. `{path}` at the end takes the rest, slashes included. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly tag: Tag
  readonly auth: RouteAuth
  /** A ticket with one of these roles opens the route too. */
  readonly ticket?: ReadonlyArray<TicketRole>
  /** A WebSocket may bring its credentials as its first line. */
  readonly firstLine?: true
  readonly params?: Shape<Params>
  readonly query?: Shape<Query>
  readonly body?: Shape<Body>
  /** Fields at the top of the body that `body` lacks: those that change nothing are taken, the others refused with a reason. */
  readonly fields?: FieldRules
  /** Bytes of JSON that the body may have; 1 MiB where the row names no limit. */
  readonly bodyLimit?: number
  /** Raw bytes instead of JSON, passed on as they come. */
  readonly bytes?: true
  /** Carried out once for an Idempotency-Key: a repetition is answered as the first request was. `onceRoute` sets it. */
  readonly once?: true
  /** Request headers with a meaning, for the document. */
  readonly headers?: Readonly<Record<string, string>>
  readonly answers: Readonly<Record<number, Answer>>
  /** Errors of its own, beside those that every route has. */
  readonly errors?: ReadonlyArray<ErrorType>
  readonly example?: unknown
}

/** What a handler gets: the decoded parts that its route declares. */
export interface Input<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
}

/** Keeps the types of the schemas that a row names. */
export const route = <Params = unknown, Query = unknown, Body = unknown>(
  row: Route<Params, Query, Body>,
): Route<Params, Query, Body> => row

/** Whether a query is read: where the row names parameters, and where a request has no other place for what it asks for. */
export const readsQuery = ({ auth, method, query }: Pick<Route, "auth" | "method" | "query">): boolean =>
  query !== undefined || (auth !== "none" && (method === "get" || method === "delete"))

/** The path as Hono writes it. */
export const honoPath = (path: string): string =>
  path.replace(/\{path\}$/, ":path{[\\s\\S]+}").replace(/\{(\w+)\}/g, ":$1")
