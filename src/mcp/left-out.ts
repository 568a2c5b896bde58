// Replaces, in the Worker's bundle, modules that the MCP SDK imports and Perch never uses (`[alias]` in wrangler.toml): ajv,
// which generates code at run time and so can't work in a Worker, and the parts for zod 3. They are 200 KiB.
// Invariant: code that uses them anyway gets an error with the cause at its first call.

const leftOut = (): never => {
  throw new Error("this part of the MCP SDK is left out of the bundle: give it CfWorkerJsonSchemaValidator and zod 4")
}

/** `ajv` and `ajv-formats`. */
export default leftOut

/** `zod-to-json-schema`: JSON Schemas of zod 3. */
export const zodToJsonSchema = leftOut

/** `zod/v3`. */
export const object = leftOut
