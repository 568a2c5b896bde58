// JSON Schemas that can't be used as an output format or a tool's input: a name, the schema, and each invalid position as the
// keys from its root, with a part of the sentence that gives the reason.

type Place = readonly [path: string, words: string]
export type BadSchema = readonly [name: string, schema: unknown, ...places: ReadonlyArray<Place>]

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
})
const property = (schema: unknown) => object({ a: schema })
const lists = (depth: number): unknown => (depth === 0 ? {} : { items: lists(depth - 1) })
const OBJECT = "must describe an object"
const REF = "leads to no schema"
const wrong = (keyword: string) => `has a value of ${keyword} that JSON Schema does not allow`

export const BAD_SCHEMAS: ReadonlyArray<BadSchema> = [
  // The root.
  ["a list at the root", { type: "array", items: { type: "string" } }, ["", OBJECT]],
  ["a text at the root", { type: "string" }, ["", OBJECT]],
  ["a number or null at the root", { type: ["number", "null"] }, ["", OBJECT]],
  ["a union without an object", { anyOf: [{ type: "string" }, { type: "array" }] }, ["", OBJECT]],
  ["a oneOf without an object", { oneOf: [{ type: "null" }] }, ["", OBJECT]],
  ["an allOf with a list", { allOf: [{ type: "object" }, { type: "array" }] }, ["", OBJECT]],
  ["a root that refers to a list", { $ref: "#/$defs/a", $defs: { a: { type: "array" } } }, ["", OBJECT]],
  // References.
  ["a reference to nothing", property({ $ref: "#/$defs/none" }), ["properties.a", REF]],
  ["a reference to nothing at the root", { $ref: "#/$defs/none" }, ["", REF]],
  ["a reference to another file", property({ $ref: "other.json" }), ["properties.a", "leads out of the schema"]],
  ["a reference to a server", property({ $ref: "https://example.com/s" }), ["properties.a", "leads out of the schema"]],
  ["a reference with a broken escape", property({ $ref: "#/$defs/%E0%A4%A" }), ["properties.a", "leads out"]],
  ["a reference to itself", { ...property({ $ref: "#/properties/a" }) }, ["properties.a", "leads back to itself"]],
  [
    "references in a ring",
    object({ a: { $ref: "#/$defs/x" } }, { $defs: { x: { $ref: "#/$defs/y" }, y: { $ref: "#/$defs/x" } } }),
    ["$defs.x", "leads back to itself"],
  ],
  ["a reference that is no text", property({ $ref: 1 }), ["properties.a", wrong("$ref")]],
  [
    "a bad reference in a list's items",
    property({ type: "array", items: { $ref: "#/x" } }),
    ["properties.a.items", REF],
  ],
  ["a bad reference in a union", property({ anyOf: [{}, { $ref: "#/x" }] }), ["properties.a.anyOf[1]", REF]],
  ["a bad reference in a condition", property({ if: { $ref: "#/x" } }), ["properties.a.if", REF]],
  ["a bad reference in a definition", object({}, { $defs: { d: { $ref: "#/x" } } }), ["$defs.d", REF]],
  ["a name of an anchor that is not there", property({ $ref: "#anchor" }), ["properties.a", REF]],
  // Keywords.
  ["an unknown type", property({ type: "text" }), ["properties.a", wrong("type")]],
  ["an unknown type at the root", { type: "dict" }, ["", wrong("type")]],
  ["no type in a list of types", property({ type: [] }), ["properties.a", wrong("type")]],
  ["a type twice", property({ type: ["string", "string"] }), ["properties.a", wrong("type")]],
  ["required as a flag", object({ a: { type: "string", required: true } }), ["properties.a", wrong("required")]],
  ["required with a number", object({}, { required: [1] }), ["", wrong("required")]],
  ["required with a name twice", object({}, { required: ["a", "a"] }), ["", wrong("required")]],
  ["properties as a list", { type: "object", properties: ["a"] }, ["", wrong("properties")]],
  ["a property that is a text", property("string"), ["properties.a", "must be a JSON Schema"]],
  ["a property that is null", property(null), ["properties.a", "must be a JSON Schema"]],
  ["a property that is a list", property([{ type: "string" }]), ["properties.a", "must be a JSON Schema"]],
  ["enum as a text", property({ enum: "a" }), ["properties.a", wrong("enum")]],
  ["an empty enum", property({ enum: [] }), ["properties.a", wrong("enum")]],
  ["minimum as a text", property({ minimum: "1" }), ["properties.a", wrong("minimum")]],
  ["draft-04's exclusiveMinimum", property({ exclusiveMinimum: true }), ["properties.a", wrong("exclusiveMinimum")]],
  ["a negative length", property({ minLength: -1 }), ["properties.a", wrong("minLength")]],
  ["half a length", property({ maxLength: 1.5 }), ["properties.a", wrong("maxLength")]],
  ["a negative count of items", property({ maxItems: -1 }), ["properties.a", wrong("maxItems")]],
  ["multiples of nothing", property({ multipleOf: 0 }), ["properties.a", wrong("multipleOf")]],
  ["uniqueItems as a text", property({ uniqueItems: "yes" }), ["properties.a", wrong("uniqueItems")]],
  ["a pattern that is none", property({ pattern: "(" }), ["properties.a", wrong("pattern")]],
  ["a pattern that is a number", property({ pattern: 1 }), ["properties.a", wrong("pattern")]],
  [
    "a property pattern that is none",
    property({ patternProperties: { "[": {} } }),
    ["properties.a", wrong("patternProperties")],
  ],
  ["format as an object", property({ format: {} }), ["properties.a", wrong("format")]],
  ["a description in parts", property({ description: ["a"] }), ["properties.a", wrong("description")]],
  ["an empty anyOf", property({ anyOf: [] }), ["properties.a", wrong("anyOf")]],
  ["anyOf as an object", property({ anyOf: {} }), ["properties.a", wrong("anyOf")]],
  ["allOf with a text in it", property({ allOf: ["a"] }), ["properties.a.allOf[0]", "must be a JSON Schema"]],
  ["items that are a text", property({ items: "string" }), ["properties.a.items", "must be a JSON Schema"]],
  ["additionalProperties as a text", object({}, { additionalProperties: "no" }), ["additionalProperties", "must be a"]],
  ["definitions as a list", object({}, { $defs: [] }), ["", wrong("$defs")]],
  ["an anchor with a space", property({ $anchor: "a b" }), ["properties.a", wrong("$anchor")]],
  ["deprecated as a text", property({ deprecated: "yes" }), ["properties.a", wrong("deprecated")]],
  ["examples that are no list", property({ examples: { a: 1 } }), ["properties.a", wrong("examples")]],
  // Names and size.
  ["a property name with a space", object({ "a b": {} }), ["properties.a b", "that the Messages API does not take"]],
  ["an empty property name", object({ "": {} }), ["properties.", "that the Messages API does not take"]],
  ["a property name of 65 letters", object({ ["a".repeat(65)]: {} }), [`properties.${"a".repeat(65)}`, "Messages API"]],
  ["lists nested 55 deep", property(lists(55)), ["", "is nested too deep"]],
  ["a schema of 300,000 characters", object({}, { description: "x".repeat(300_000) }), ["", "is too large"]],
  [
    "a schema of 6,000 properties",
    object({}, { $defs: Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`p${at}`, {}])) }),
    ["", "is too large"],
  ],
  // Several at once.
  [
    "three things wrong",
    object({ a: { $ref: "#/x" }, b: { type: "text" }, c: { minimum: "1" } }),
    ["properties.b", wrong("type")],
    ["properties.c", wrong("minimum")],
  ],
  [
    "two references to nothing",
    object({ a: { $ref: "#/x" }, b: { $ref: "https://example.com" } }),
    ["properties.a", REF],
    ["properties.b", "leads out of the schema"],
  ],
]

/** Unusual schemas that can be used. */
export const GOOD_SCHEMAS: ReadonlyArray<readonly [name: string, schema: Record<string, unknown>]> = [
  ["an empty schema", {}],
  ["an object without properties", { type: "object" }],
  ["properties without a type", { properties: { a: {} } }],
  ["a union of objects", { anyOf: [object({ a: {} }), object({ b: {} })] }],
  ["a union of an object and null", { anyOf: [object({ a: {} }), { type: "null" }] }],
  ["an object or null", { type: ["object", "null"], properties: { a: {} } }],
  ["a root that refers to an object", { $ref: "#/$defs/a", $defs: { a: object({ b: {} }) } }],
  ["a tree", object({ children: { type: "array", items: { $ref: "#" } } })],
  ["a pattern that only ECMAScript has", property({ type: "string", pattern: "^(?=a)" })],
  ["unknown keywords", property({ type: "string", "x-note": {}, nullable: true })],
  [
    "a schema of another draft",
    { $schema: "http://json-schema.org/draft-07/schema#", ...property({ type: "string" }) },
  ],
]
