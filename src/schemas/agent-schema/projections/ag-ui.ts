// Receives a closed JSON Schema; returns the `parameters` of an AG-UI tool: a plain JSON Schema whose root always has
// `type`, `properties` and `required`, which front ends read without checking for them.
import type { ObjectNode } from "../closed-json-schema.ts"
import type { Projection } from "./projection.ts"

export const toAgUi = (schema: ObjectNode): Projection => ({ schema: { ...schema }, issues: [], renamed: {} })
