// Receives Effect schemas; returns JSON Schemas in which every object is a named component, referred to by `$ref`.
// Invariant: a shape has one name: a schema that is equal to a named shape refers to it, and no object is written inline.
import * as Schema from "effect/Schema"
import { type Json, membersOf, tidyNode, withoutMore } from "./tidy.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

/** A shape to name. `suffix` names the members of a union that have no name: `Block` makes the member `text` a `TextBlock`. */
export interface NamedShape {
  readonly schema: Schema.Top
  readonly description: string
  readonly suffix?: string
  /** Whether unknown fields are refused, as in requests. */
  readonly closed: boolean
}

/** A union of named shapes. It is declared by names because Effect would inline the members of a union within it. */
export interface NamedUnion {
  readonly union: ReadonlyArray<string>
  readonly description: string
}

/** The discriminating fields of unions, in the order in which they are tried. */
const TAGS = ["type", "subtype", "kind", "behavior", "status", "role", "name"]

/** Keywords of nodes that describe more than a plain text or number. */
const SHAPED = ["properties", "enum", "oneOf", "anyOf", "items"]

const PREFIX = "#/components/schemas/"

/** `web_search` and `web-search` are `WebSearch`. */
const pascal = (text: string): string =>
  text
    .replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/[^A-Za-z0-9]/g, "")

export class Components {
  readonly schemas: Record<string, Json> = {}
  readonly #names = new Map<string, string>()

  /** Names a shape. Must be called before the shape is used, for inner shapes first. */
  name(name: string, shape: NamedShape | NamedUnion): void {
    const { description } = shape
    if ("union" in shape) {
      const anyOf = shape.union.map((member) => ({ $ref: `${PREFIX}${member}` }))
      this.#register(name, { ...this.#union({ anyOf }), description })
      return
    }
    const { schema, suffix, closed } = shape
    const made = this.#read(schema, closed, name, suffix)
    if ("$ref" in made) this.#alias(name, made, description)
    else this.#register(name, { ...made, description })
  }

  /** The JSON Schema of `schema`; `hint` names it when it is an object without a name. */
  add(schema: Schema.Top, hint: string, closed = false): Json {
    return this.#read(schema, closed, hint)
  }

  /** The component that a node refers to, or the node itself. */
  resolve(node: Json): Json {
    const ref = node["$ref"]
    return typeof ref === "string" ? (this.schemas[ref.slice(PREFIX.length)] ?? node) : node
  }

  #read(schema: Schema.Top, closed: boolean, hint: string, suffix?: string): Json {
    // Without "error" the JSON Schema would lack the type of a record's values.
    const made = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
    // Definitions refer to one another; each is read completely on the first reference to it.
    const definitions = made.definitions as Readonly<Record<string, Json>>
    const refer = (name: string): Json => {
      const definition = definitions[name]
      if (!(name in this.schemas) && definition !== undefined) {
        const node = this.#node(definition, name, { ...reader, own: name })
        if ("$ref" in node) this.#alias(name, node)
        else this.#register(name, node)
      }
      return { $ref: `${PREFIX}${name}` }
    }
    const reader: Reader = { closed, refer }
    // A JSON Schema is a JSON object.
    return this.#node(made.schema as Json, hint, reader, suffix)
  }

  #node(value: Json, hint: string, { own, ...reader }: Reader, suffix?: string): Json {
    const ref = value["$ref"]
    if (typeof ref === "string" && ref.startsWith("#/$defs/")) {
      const { $ref: _, ...otherKeys } = value
      return { ...reader.refer(ref.slice("#/$defs/".length)), ...otherKeys }
    }
    const children: Record<string, unknown> = {}
    for (const [key, child] of Object.entries(value)) children[key] = this.#child(key, child, hint, reader, suffix)
    const plain = tidyNode(children)
    const tidy = this.#union(reader.closed ? plain : withoutMore(plain))
    if (tidy["type"] !== "object" || !("properties" in tidy)) {
      const known = this.#names.get(canonical(tidy))
      if (known !== undefined) return refTo(known, tidy)
      return "discriminator" in tidy && own === undefined ? refTo(this.#register(hint, tidy), tidy) : tidy
    }
    const known = own === undefined ? this.#names.get(canonical(tidy)) : undefined
    const name = known ?? this.#register(hint, tidy)
    return refTo(name, tidy)
  }

  #child(key: string, child: unknown, hint: string, reader: Reader, suffix?: string): unknown {
    if (key === "properties" && isPlainObject(child)) {
      return Object.fromEntries(
        Object.entries(child).map(([name, property]) => [
          name,
          isPlainObject(property) ? this.#node(property, `${hint}${pascal(name)}`, reader) : property,
        ]),
      )
    }
    if ((key === "anyOf" || key === "oneOf" || key === "allOf") && Array.isArray(child)) {
      // The node merges its `allOf` into itself, so the members are no shapes of their own.
      if (key === "allOf")
        return child.map((member: unknown) => (isRef(member) ? this.#node(member, hint, reader) : member))
      const objects = child.filter((member: unknown) => isPlainObject(member) && "properties" in member).length
      return child.map((member: unknown) => {
        if (!isPlainObject(member)) return member
        return this.#node(member, memberName(member, hint, objects, suffix), reader, suffix)
      })
    }
    if ((key === "items" || key === "additionalProperties") && isPlainObject(child)) {
      return this.#node(child, `${hint}${key === "items" ? "Item" : "Value"}`, reader, suffix)
    }
    return child
  }

  /** Adds a discriminator to a union whose members differ in one field. A member for all other values is left out. */
  #union(node: Json): Json {
    const members = membersOf(node, "anyOf")
    if (members === undefined || members.length < 2) return node
    const objects = members.map((member) => this.resolve(member))
    if (!members.every((member) => "$ref" in member)) return node
    for (const propertyName of TAGS) {
      const tags = objects.map((object) => this.#tags(object, propertyName))
      const described = members.filter((_, index) => tags[index] !== undefined)
      const values = tags.flatMap((tag) => tag ?? [])
      const others = objects.filter((object, index) => tags[index] === undefined && !isCatchAll(object, propertyName))
      if (described.length < 2 || others.length > 0 || new Set(values).size < values.length) continue
      // A member in which the field is optional can't be recognized by it.
      if (!objects.every((object, index) => tags[index] === undefined || this.#requires(object, propertyName)))
        return node
      const { anyOf: _, ...rest } = node
      const mapping = Object.fromEntries(
        members.flatMap((member, index) => (tags[index] ?? []).map((value) => [value, member["$ref"]])),
      )
      return { ...rest, oneOf: described, discriminator: { propertyName, mapping } }
    }
    return node
  }

  /** The values that a field of an object, or of a union's members, may have; undefined when they are not enumerated. */
  #tags(object: Json, property: string): ReadonlyArray<string> | undefined {
    const members = membersOf(object, "oneOf") ?? membersOf(object, "anyOf")
    if (members !== undefined) {
      const all = members.map((member) => this.#tags(this.resolve(member), property))
      return all.every((tags) => tags !== undefined) ? [...new Set(all.flat())] : undefined
    }
    const { properties } = object
    const field = isPlainObject(properties) ? properties[property] : undefined
    if (!isPlainObject(field)) return undefined
    if (typeof field["const"] === "string") return [field["const"]]
    const values: unknown = field["enum"]
    return Array.isArray(values) && values.every((value) => typeof value === "string") ? values : undefined
  }

  #requires(object: Json, property: string): boolean {
    const members = membersOf(object, "oneOf") ?? membersOf(object, "anyOf")
    if (members !== undefined) return members.every((member) => this.#requires(this.resolve(member), property))
    return Array.isArray(object["required"]) && object["required"].includes(property)
  }

  #register(name: string, node: Json): string {
    if (name in this.schemas) throw new Error(`two shapes are named ${name}`)
    this.schemas[name] = node
    // Equal shapes that are added later refer to this one, except plain texts and numbers, which are only equal by chance.
    const key = canonical(node)
    if (SHAPED.some((each) => each in node) && !this.#names.has(key)) this.#names.set(key, name)
    return name
  }

  /** Adds a second name for a shape that already has one. */
  #alias(name: string, node: Json, description?: string): void {
    const ref = String(node["$ref"]).slice(PREFIX.length)
    if (ref === name) {
      if (description !== undefined) this.schemas[name] = { ...this.schemas[name], description }
      return
    }
    this.schemas[name] = { ...node, ...(description === undefined ? {} : { description }) }
  }
}

/** How a schema is converted: whether its objects are closed, and how references to its definitions are resolved. */
interface Reader {
  readonly closed: boolean
  /** The name of the definition being read; its object keeps that name, even if it is equal to another shape. */
  readonly own?: string
  readonly refer: (name: string) => Json
}

const isRef = (value: unknown): value is Json => isPlainObject(value) && "$ref" in value

const refTo = (name: string, { description, examples }: Json): Json => ({
  $ref: `${PREFIX}${name}`,
  ...(description === undefined ? {} : { description }),
  ...(examples === undefined ? {} : { examples }),
})

/** Whether a union's member accepts any string in the field, and so covers the values that no other member describes. */
const isCatchAll = ({ properties }: Json, field: string): boolean => {
  const type = isPlainObject(properties) ? properties[field] : undefined
  return isPlainObject(type) && type["type"] === "string" && !("enum" in type)
}

/** The name of a union's member: `hint` if it is the only object, otherwise with the value or field that distinguishes it. */
const memberName = ({ properties }: Json, hint: string, objects: number, suffix?: string): string => {
  if (!isPlainObject(properties) || objects < 2) return hint
  const tag = TAGS.flatMap((name) => {
    const field = properties[name]
    return isPlainObject(field) && Array.isArray(field["enum"]) && field["enum"].length === 1
      ? [String(field["enum"][0])]
      : []
  })[0]
  if (tag === undefined) return `${hint}With${pascal(Object.keys(properties)[0] ?? "")}`
  return suffix === undefined ? `${hint}${pascal(tag)}` : `${pascal(tag)}${suffix}`
}

/** Returns a text that is equal for equal shapes, regardless of their descriptions and of whether they are closed. */
const canonical = (node: Json): string => {
  const { description: _d, examples: _e, title: _t, additionalProperties: more, ...rest } = node
  return write(more === undefined || typeof more === "boolean" ? rest : { ...rest, additionalProperties: more })
}

const write = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`
  if (!isPlainObject(value)) return JSON.stringify(value) ?? "null"
  const keys = Object.keys(value).filter((key) => key !== "description" && key !== "examples")
  return `{${keys
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${write(value[key])}`)
    .join(",")}}`
}
