// Returns the five rows of the route table for one kind of a tenant's definitions: list, create, read, put, delete.
import * as Schema from "effect/Schema"
import { type Route, route, type Shape } from "../../route.ts"
import { answer, list, onceRoute } from "../parts.ts"
import type { Tag } from "../tags.ts"

interface DefinitionTable<Name extends string, Created, Value> {
  /** The kind's name in operation ids: `Agent`. */
  readonly id: string
  /** The kind's name in sentences: `agent`. */
  readonly noun: string
  /** The noun's plural with `-` for spaces, as in paths. */
  readonly path: string
  readonly tag: Tag
  readonly name: Shape<Name>
  readonly create: Shape<Created>
  readonly put: Shape<Value>
  readonly shown: Schema.Top
  /** A sentence about what a session does with them. */
  readonly about: string
  readonly example: { readonly name: string; readonly [field: string]: unknown }
}

export interface DefinitionRows<Name extends string, Created, Value> {
  readonly list: Route
  readonly create: Route<unknown, unknown, Created>
  readonly read: Route<{ readonly name: Name }>
  readonly put: Route<{ readonly name: Name }, unknown, Value>
  readonly remove: Route<{ readonly name: Name }>
}

export const definitionRows = <Name extends string, Created, Value>({
  id,
  noun,
  path,
  tag,
  name,
  create,
  put,
  shown,
  about,
  example,
}: DefinitionTable<Name, Created, Value>): DefinitionRows<Name, Created, Value> => {
  const all = `/v1/${path}`
  const one = `${all}/{name}`
  const params = Schema.Struct({ name })
  const { name: _, ...value } = example
  const article = /^[aeiou]/i.test(noun) || noun.startsWith("MCP") ? "an" : "a"
  return {
    list: route({
      id: `list${id}s`,
      method: "get",
      path: all,
      summary: `List the ${noun}s`,
      description: `All of them, by name. ${about}`,
      tag,
      auth: "sessions:read",
      answers: { 200: answer(`The ${noun}s, by name.`, list("data", shown)) },
    }),
    create: onceRoute({
      id: `create${id}`,
      method: "post",
      path: all,
      summary: `Store ${article} ${noun} under a new name`,
      description: `${about} Within a minute it is available in all new turns. A name that is already in use is a 409.`,
      tag,
      auth: "sessions:write",
      body: create,
      answers: { 201: answer(`The ${noun}.`, shown) },
      example,
    }),
    read: route({
      id: `get${id}`,
      method: "get",
      path: one,
      summary: `Read ${article} ${noun}`,
      description: "As stored, without secrets.",
      tag,
      auth: "sessions:read",
      params,
      answers: { 200: answer(`The ${noun}.`, shown) },
      errors: ["not_found_error"],
    }),
    put: route({
      id: `put${id}`,
      method: "put",
      path: one,
      summary: `Store ${article} ${noun}, replacing one with the same name`,
      description: `Replaces all of it. ${about} Running turns keep the previous one.`,
      tag,
      auth: "sessions:write",
      params,
      body: put,
      example: value,
      answers: { 200: answer("Replaced.", shown), 201: answer("Created.", shown) },
      errors: ["conflict_error"],
    }),
    remove: route({
      id: `delete${id}`,
      method: "delete",
      path: one,
      summary: `Remove ${article} ${noun}`,
      description: "Turns that start within the next minute may still use it.",
      tag,
      auth: "sessions:write",
      params,
      answers: { 204: { description: "Removed." } },
      errors: ["not_found_error"],
    }),
  }
}
