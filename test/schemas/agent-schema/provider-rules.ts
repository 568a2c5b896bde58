// The providers' published rules for schemas, as validators that are independent of the projections.
type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const keysOf = (value: unknown): ReadonlyArray<string> => (isObject(value) ? Object.keys(value) : [])
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/**
 * Anthropic, Messages API, a tool's `input_schema` (docs.claude.com, "Define tools", and the API's own error texts):
 * JSON Schema draft 2020-12; `type` is "object" at the root; no oneOf, allOf or anyOf at the root; property names
 * match `^[a-zA-Z0-9_.-]{1,64}$`. That it is valid 2020-12 is checked by Ajv.
 */
export const anthropicRules = (schema: Json): ReadonlyArray<string> => [
  ...(schema["type"] === "object" ? [] : ["root is not an object"]),
  ...["oneOf", "allOf", "anyOf"].filter((key) => key in schema).map((key) => `${key} at the root`),
  ...keysOf(schema["properties"])
    .filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
    .map((name) => `property name ${name}`),
]

const OPENAI_KEYWORDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  string: ["enum", "pattern", "format", "const"],
  number: ["enum", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "const"],
  integer: ["enum", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "const"],
  boolean: ["enum", "const"],
  null: ["enum", "const"],
  array: ["items", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties", "$defs"],
}

/**
 * OpenAI, strict mode (platform.openai.com, "Structured model outputs", "Supported schemas"): the root is an object and
 * no anyOf; every property is in `required`; `additionalProperties` is false in every object; an optional value is a
 * union with null; supported are string (pattern, format), number (multipleOf and bounds), boolean, integer, object,
 * array (minItems, maxItems), enum, anyOf; not allOf, not, dependentRequired, dependentSchemas, if, then, else. At most
 * 5,000 properties and 10 levels of nesting; 120,000 characters of names, enum and const values; 1,000 enum values;
 * 15,000 characters in a string enum of more than 250 values. Patterns have no look-around.
 */
export const openAiRules = (root: Json): ReadonlyArray<string> => {
  const found: Array<string> = []
  let properties = 0
  let values = 0
  let characters = 0
  const visit = (node: unknown, path: string, depth: number): void => {
    const say = (what: string): void => void found.push(`${path}: ${what}`)
    if (!isObject(node)) return say("no schema")
    if (depth > 10) return say("nested too deep")
    const types = Array.isArray(node["type"]) ? node["type"].map(String) : "type" in node ? [String(node["type"])] : []
    if (types.length === 0 && !("anyOf" in node) && !("$ref" in node) && !("enum" in node)) say("no type")
    const allowed = [
      "type",
      "title",
      "description",
      "anyOf",
      "$ref",
      ...types.flatMap((type) => OPENAI_KEYWORDS[type] ?? []),
    ]
    for (const key of Object.keys(node)) if (!allowed.includes(key)) say(`keyword ${key}`)
    for (const type of types) if (OPENAI_KEYWORDS[type] === undefined) say(`type ${type}`)
    if (typeof node["pattern"] === "string" && /\(\?<?[=!]/.test(node["pattern"])) say("look-around")
    if (types.includes("object")) {
      const names = keysOf(node["properties"])
      properties += names.length
      characters += names.join("").length
      if (node["additionalProperties"] !== false) say("open object")
      for (const name of names) if (!listOf(node["required"]).includes(name)) say(`${name} not required`)
      for (const name of listOf(node["required"])) if (!names.includes(String(name))) say(`${String(name)} unknown`)
      for (const name of names) visit(Object(node["properties"])[name], `${path}.${name}`, depth + 1)
    }
    if (types.includes("array")) visit(node["items"], `${path}[]`, depth)
    if ("enum" in node) {
      const texts = listOf(node["enum"]).filter((value) => typeof value === "string")
      values += listOf(node["enum"]).length
      characters += texts.join("").length
      if (texts.length > 250 && texts.join("").length > 15_000) say("enum too long")
      if (types.includes("null") !== listOf(node["enum"]).includes(null)) say("null in type and enum disagree")
    }
    for (const [index, member] of listOf(node["anyOf"]).entries()) visit(member, `${path}|${index}`, depth)
  }
  if (root["type"] !== "object" || "anyOf" in root) found.push("$: root is not an object")
  visit(root, "$", 0)
  if (properties > 5000) found.push("too many properties")
  if (values > 1000) found.push("too many enum values")
  if (characters > 120_000) found.push("names too long")
  return found
}

const GEMINI_FIELDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  STRING: ["enum", "format", "minLength", "maxLength", "pattern"],
  NUMBER: ["format", "minimum", "maximum"],
  INTEGER: ["format", "minimum", "maximum"],
  BOOLEAN: [],
  ARRAY: ["items", "minItems", "maxItems"],
  OBJECT: ["properties", "required", "propertyOrdering", "minProperties", "maxProperties"],
}
const GEMINI_COUNTS = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]

/**
 * Google, `Schema` of a function declaration (ai.google.dev/api/caching#Schema; the same of Vertex AI; field list of
 * googleapis.github.io/js-genai): a subset of OpenAPI 3.0 with a `type` of the enum STRING, NUMBER, INTEGER, BOOLEAN,
 * ARRAY, OBJECT in every node but one of anyOf, which must be the only field there; no $schema, $ref, $defs, const,
 * oneOf, allOf, additionalProperties, lists of types. Counts are int64 texts. `enum` is for STRING and has no empty
 * text. ARRAY needs `items`; OBJECT's properties are not empty; `required` names properties of its own object.
 * Parameter names start with a letter or underscore and hold letters, digits and underscores, at most 64 (Vertex AI,
 * `FunctionDeclaration.parameters`).
 */
export const geminiRules = (root: Json): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (node: unknown, path: string): void => {
    const say = (what: string): void => void found.push(`${path}: ${what}`)
    if (!isObject(node)) return say("no schema")
    if ("anyOf" in node) {
      if (Object.keys(node).length > 1) say("other fields than anyOf")
      if (listOf(node["anyOf"]).length === 0) say("empty anyOf")
      return listOf(node["anyOf"]).forEach((member, index) => visit(member, `${path}|${index}`))
    }
    const fields = typeof node["type"] === "string" ? GEMINI_FIELDS[node["type"]] : undefined
    if (fields === undefined) return say("no type of the enum")
    const allowed = ["type", "title", "description", "nullable", "default", "example", ...fields]
    for (const key of Object.keys(node)) if (!allowed.includes(key)) say(`field ${key}`)
    for (const key of GEMINI_COUNTS) if (key in node && !/^\d+$/.test(String(node[key]))) say(`${key} is no count`)
    for (const key of GEMINI_COUNTS) if (key in node && typeof node[key] !== "string") say(`${key} is no int64 text`)
    if ("enum" in node && !listOf(node["enum"]).every((value) => typeof value === "string" && value !== "")) {
      say("enum of other than texts")
    }
    if (node["type"] === "ARRAY") visit(node["items"], `${path}[]`)
    if (node["type"] === "OBJECT") {
      const names = keysOf(node["properties"])
      if (names.length === 0) say("no properties")
      for (const name of names) if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) say(`parameter name ${name}`)
      for (const key of ["required", "propertyOrdering"]) {
        for (const name of listOf(node[key])) if (!names.includes(String(name))) say(`${key}: ${String(name)} unknown`)
      }
      for (const name of names) visit(Object(node["properties"])[name], `${path}.${name}`)
    }
  }
  if (root["type"] !== "OBJECT") found.push("$: root is not an OBJECT")
  visit(root, "$")
  return found
}

/**
 * AG-UI, `Tool.parameters` (docs.ag-ui.com/concepts/tools, "Tool Structure"): a JSON Schema object with `type`
 * "object", `properties`, and `required` as a list of their names. That it is valid JSON Schema is checked by Ajv.
 */
export const agUiRules = (schema: Json): ReadonlyArray<string> => [
  ...(schema["type"] === "object" ? [] : ["root is not an object"]),
  ...(isObject(schema["properties"]) ? [] : ["no properties"]),
  ...(Array.isArray(schema["required"]) ? [] : ["no required"]),
  ...listOf(schema["required"])
    .filter((name) => !keysOf(schema["properties"]).includes(String(name)))
    .map((name) => `required: ${String(name)} unknown`),
]
