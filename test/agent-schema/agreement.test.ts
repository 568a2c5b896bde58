// For generated schemas and values three judges agree: the decoder, the JSON Schema as Ajv reads it, and the zod schema.
// With `unicode: false` Ajv counts the length of strings in UTF-16 units, as everything here does.
import { Ajv2020 } from "ajv/dist/2020.js"
import { Result } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { agentSchema } from "../../src/schemas/agent-schema/agent-schema.ts"
import { effectToZod } from "../../src/schemas/sdk/adapters/effect-to-zod.ts"
import { objectSpec, toSchema, values } from "./generate.ts"

const SCHEMAS = 550
const VALUES_EACH = 20

it("the decoder, the JSON Schema and the zod schema accept and reject the same values", () => {
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
        const ajv = new Ajv2020({ unicode: false, logger: false }).compile(schema.jsonSchema)
        const zod = effectToZod(source)
        for (const sample of samples) {
          const byAjv = ajv(sample)
          const decoded = Result.isSuccess(schema.decode(sample))
          if (decoded !== byAjv || zod.safeParse(sample).success !== byAjv) {
            expect({ sample, decoded, zod: zod.safeParse(sample).success }).toEqual({
              sample,
              decoded: byAjv,
              zod: byAjv,
            })
          }
          judged += 1
          if (byAjv) valid += 1
        }
      },
    ),
    { numRuns: SCHEMAS },
  )
  expect(judged).toBeGreaterThanOrEqual(10_000)
  expect(valid / judged).toBeGreaterThan(0.25)
  expect(valid / judged).toBeLessThan(0.75)
})
