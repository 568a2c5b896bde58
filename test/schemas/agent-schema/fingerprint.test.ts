import * as fc from "fast-check"
import { expect, it } from "vitest"
import { agentSchema } from "../../../src/schemas/agent-schema/agent-schema.ts"
import type { ClosedNode, JsonObject, ObjectNode } from "../../../src/schemas/agent-schema/closed-json-schema.ts"
import { fingerprintOf } from "../../../src/schemas/agent-schema/fingerprint.ts"
import { objectSpec, toSchema } from "./generate.ts"

const closed = objectSpec.map((spec) => agentSchema(toSchema(spec)).jsonSchema)

/** The same schema written differently: keys and sets in another order, annotations added. */
const retold = (value: unknown, key: string | null, seed: number): unknown => {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => retold(item, null, seed))
    return (key === "required" || key === "enum") && seed % 2 === 0 ? items.toReversed() : items
  }
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, child]) => [
    name,
    retold(child, key === "properties" ? null : name, seed),
  ])
  const annotations =
    key === "properties"
      ? []
      : Object.entries({ title: `T${seed}`, description: "D", examples: [seed], default: 1, $comment: "C", "x-y": {} })
  return Object.fromEntries([...annotations, ...entries].toSorted(() => (seed % 3) - 1))
}

it("ignores the order of keys and sets, titles, descriptions and other annotations", () => {
  fc.assert(
    fc.property(closed, fc.nat(100), (schema, seed) => {
      expect(fingerprintOf(retold(schema, null, seed) as JsonObject)).toBe(fingerprintOf(schema)) // an object stays one
    }),
    { numRuns: 300 },
  )
})

/** Every schema that differs from this one in one type, constraint, name or requirement. */
const mutants = (node: ClosedNode): ReadonlyArray<unknown> => {
  if ("anyOf" in node) {
    return [
      { anyOf: [...node.anyOf, { type: "string", enum: ["one more"] }] },
      ...node.anyOf.flatMap((member, index) =>
        mutants(member).map((changed) => ({ ...node, anyOf: node.anyOf.with(index, changed as ClosedNode) })),
      ),
    ]
  }
  switch (node.type) {
    case "object":
      return [
        { ...node, additionalProperties: true },
        { ...node, properties: { ...node.properties, title: { type: "string" }, added: { type: "string" } } },
        ...Object.entries(node.properties).flatMap(([name, child]) => {
          const { [name]: _, ...others } = node.properties
          const required = node.required.includes(name)
            ? node.required.filter((other) => other !== name)
            : [...node.required, name]
          return [
            { ...node, required },
            { ...node, properties: { ...others, [`${name}2`]: child } },
            ...mutants(child).map((changed) => ({ ...node, properties: { ...node.properties, [name]: changed } })),
          ]
        }),
      ]
    case "array":
      return [
        { ...node, minItems: (node.minItems ?? 0) + 1 },
        { ...node, maxItems: (node.maxItems ?? 0) + 1 },
        ...mutants(node.items).map((items) => ({ ...node, items })),
      ]
    case "string":
      return [
        { type: "number" },
        { ...node, enum: [...(node.enum ?? []), "one more"] },
        { ...node, maxLength: (node.maxLength ?? 0) + 1 },
        { ...node, pattern: `${node.pattern ?? ""}.` },
      ]
    case "boolean":
      return [{ type: "string" }]
    default:
      return [
        { ...node, type: node.type === "integer" ? "number" : "integer" },
        { ...node, minimum: (node.minimum ?? 0) + 1 },
        { ...node, maximum: (node.maximum ?? 0) + 1 },
      ]
  }
}

it("changes with every change of a type, constraint, name or requirement", () => {
  let changes = 0
  fc.assert(
    fc.property(closed, (schema) => {
      const before = fingerprintOf(schema)
      for (const mutant of mutants(schema)) {
        changes += 1
        expect({ mutant, same: fingerprintOf(mutant as ObjectNode) === before }).toEqual({ mutant, same: false })
      }
    }),
    { numRuns: 300 },
  )
  expect(changes).toBeGreaterThan(1000)
})

it("is the SHA-256 of the canonical JSON", () => {
  // printf '{"additionalProperties":false,"properties":{"title":{"enum":["a","b"],"type":"string"}},
  //   "required":["title"],"type":"object"}' | sha256sum (on one line)
  expect(
    fingerprintOf({
      $schema: "s",
      type: "object",
      properties: { title: { type: "string", description: "d", enum: ["b", "a"] } },
      required: ["title"],
      additionalProperties: false,
      "x-note": 1,
    }),
  ).toBe("agent-schema-v2:sha256:16a9acea4cec9c774b63bbc1444151deb9e3a8e023f7f9b6253d034fb27e31b5")
})
