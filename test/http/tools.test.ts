import { expect, it } from "vitest"
import { builtInTools } from "../../src/tools/registry.ts"
import { makeApi } from "./api.ts"

interface Listed {
  readonly name: string
  readonly description: string
  readonly input_schema: object
  readonly schema_fingerprint: string
  readonly annotations: object
  readonly schema?: object
  readonly renamed?: object
}

const list = async (query: string): Promise<{ data: ReadonlyArray<Listed>; rejected: ReadonlyArray<unknown> }> => {
  const response = await makeApi().call("GET", `/v1/tools${query}`)
  expect(response.status).toBe(200)
  // As the contract says; the tests assert what they use.
  return (await response.json()) as { data: ReadonlyArray<Listed>; rejected: ReadonlyArray<unknown> }
}

it("lists the tools as the Messages API takes them, with fingerprints", async () => {
  const { data, rejected } = await list("")
  expect(rejected).toEqual([])
  expect(data).toEqual(
    builtInTools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.inputSchema,
      schema_fingerprint: tool.agentSchema.fingerprint,
      annotations: { destructiveHint: tool.destructive, idempotentHint: tool.idempotent },
    })),
  )
  expect(new Set(data.map(({ schema_fingerprint }) => schema_fingerprint)).size).toBe(8)
  for (const tool of data) expect(tool.schema_fingerprint).toMatch(/^agent-schema-v2:sha256:[0-9a-f]{64}$/)
})

it.each(["anthropic", "openai", "gemini", "ag-ui"] as const)("adds each schema as %s takes it", async (projection) => {
  const plain = await list("")
  const { data, rejected } = await list(`?projection=${projection}`)
  expect(rejected).toEqual([])
  expect(data.map(({ schema: _, renamed: __, ...rest }) => rest)).toEqual(plain.data)
  expect(data.map(({ schema }) => schema)).toEqual(
    builtInTools.map(({ agentSchema }) => JSON.parse(JSON.stringify(agentSchema.project(projection).schema))),
  )
  const grep = data.find(({ name }) => name === "Grep")
  if (projection === "gemini") expect(grep?.renamed).toMatchObject({ "$._n": "-n" })
  else expect(grep).not.toHaveProperty("renamed")
})

it("refuses a projection that it does not know, and other parameters", async () => {
  const response = await makeApi().call("GET", "/v1/tools?projection=cohere")
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", field: "projection" } })
  expect((await makeApi().call("GET", "/v1/tools?other=1")).status).toBe(400)
})
