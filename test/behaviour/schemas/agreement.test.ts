// For generated schemas and values four validators agree: the decoder, the JSON Schema with Ajv, the zod schema, and Perch's
// own check of a JSON Schema that a client sends. With `unicode: false` Ajv counts the length of strings in UTF-16 units, as
// everything here does.
import { Ajv2020 } from "ajv/dist/2020.js"
import { Result } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { agentSchema } from "../../../src/schemas/agent-schema/agent-schema.ts"
import { readJsonSchema } from "../../../src/schemas/agent-schema/json-schema-dialect.ts"
import { effectToZod } from "../../../src/schemas/sdk/adapters/effect-to-zod.ts"
import { objectSpec, toSchema, values } from "../../schemas/agent-schema/generate.ts"

const ajv = new Ajv2020({ unicode: false, logger: false, addUsedSchema: false, code: { optimize: false } })
const SCHEMAS = 550
const VALUES_EACH = 20

it("the decoder, the JSON Schema, the zod schema and the dialect accept and reject the same values", () => {
  let judged = 0
  let valid = 0
  fc.assert(
    fc.property(
      objectSpec.chain((spec) =>
        fc.record({
          spec: fc.constant(spec),
          samples: fc.array(values(spec), { minLength: VALUES_EACH, maxLength: VALUES_EACH }),
        }),
      ),
      ({ spec, samples }) => {
        const source = toSchema(spec)
        const schema = agentSchema(source)
        const accepts = ajv.compile(schema.jsonSchema)
        const zod = effectToZod(source)
        // One level down: the Messages API restricts the property names of the root.
        const sent = { type: "object", properties: { value: schema.jsonSchema } }
        const dialect = Result.getOrThrow(readJsonSchema(sent))
        expect(dialect.unchecked).toEqual([])
        for (const sample of samples) {
          const ajvSays = accepts(sample)
          const verdicts = {
            decoder: Result.isSuccess(schema.decode(sample)),
            zod: zod.safeParse(sample).success,
            dialect: dialect.validate({ value: sample }).length === 0,
          }
          if (Object.values(verdicts).some((verdict) => verdict !== ajvSays)) {
            expect({ sample, ...verdicts }).toEqual({ sample, decoder: ajvSays, zod: ajvSays, dialect: ajvSays })
          }
          judged += 1
          if (ajvSays) valid += 1
        }
      },
    ),
    { numRuns: SCHEMAS },
  )
  expect(judged).toBeGreaterThanOrEqual(10_000)
  expect(valid / judged).toBeGreaterThan(0.25)
  expect(valid / judged).toBeLessThan(0.75)
}, 120_000)
