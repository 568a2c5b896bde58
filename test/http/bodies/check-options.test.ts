// Semantic errors of options: every route that accepts options answers 400 with all of them, and no session receives the
// request.
import { beforeAll, describe, expect, it } from "vitest"
import { BAD_SCHEMAS, type BadSchema, GOOD_SCHEMAS } from "../../schemas/agent-schema/bad-schemas-table.ts"
import { type Envelope, makeApi } from "../api.ts"

const { call, refused, sessions, create } = makeApi()
let id = ""

beforeAll(async () => {
  id = await create()
})

/** Every route that accepts options: method, path, and the body around them. */
const doors = (): ReadonlyArray<readonly [method: string, path: string, body: (options: object) => object]> => [
  ["POST", "/v1/sessions", (options) => ({ options })],
  ["POST", "/v1/query", (options) => ({ prompt: "Hello", options })],
  ["POST", `/v1/sessions/${id}/query`, (options) => ({ prompt: "Hello", options })],
  ["PATCH", `/v1/sessions/${id}`, (options) => ({ options })],
  ["POST", `/v1/sessions/${id}/fork`, (options) => ({ options })],
]

const everywhere = async (options: object): Promise<ReadonlyArray<Envelope>> => {
  const before = sessions.byName.size
  const answers: Array<Envelope> = []
  for (const [method, path, body] of doors()) answers.push(await refused(400, method, path, { json: body(options) }))
  expect(sessions.byName.size).toBe(before)
  expect(sessions.get(`root/${id}`).submitted).toEqual([])
  return answers
}

const expected = (at: string, [, , ...places]: BadSchema) =>
  places.map(([path, words]) => {
    const field = path === "" ? at : `${at}.${path}`
    return { field, message: expect.stringContaining(words) as string }
  })

describe("schemas that can't be used", () => {
  it(`of an outputFormat are refused with every issue (${BAD_SCHEMAS.length} schemas × 5 routes)`, async () => {
    expect(BAD_SCHEMAS.length).toBeGreaterThanOrEqual(40)
    for (const bad of BAD_SCHEMAS) {
      const issues = expected("options.outputFormat.schema", bad)
      for (const { error } of await everywhere({ outputFormat: { type: "json_schema", schema: bad[1] } })) {
        expect(error, bad[0]).toMatchObject({ type: "invalid_request_error", field: issues[0]!.field })
        expect(error.issues, bad[0]).toEqual(issues)
      }
    }
  })

  it(`of client tools are refused with every issue (${BAD_SCHEMAS.length} schemas × 5 routes)`, async () => {
    const good = { name: "good", description: "Works.", inputSchema: { type: "object" } }
    for (const bad of BAD_SCHEMAS) {
      const tool = { name: "bad", description: "Does not.", inputSchema: bad[1] }
      for (const { error } of await everywhere({ clientTools: [good, tool] })) {
        if (error.issues?.some(({ field }) => field === "options.clientTools")) {
          expect(error.message).toContain("at most 262144 characters together")
        } else expect(error.issues, bad[0]).toEqual(expected("options.clientTools[1].inputSchema", bad))
      }
    }
  })

  it("are rejected, and unusual ones that can be used are not", async () => {
    for (const [name, schema] of GOOD_SCHEMAS) {
      const options = {
        outputFormat: { type: "json_schema", schema },
        clientTools: [{ name: "t", description: "x", inputSchema: schema }],
      }
      expect((await call("POST", "/v1/sessions", { json: { options } })).status, name).toBe(201)
    }
  })
})

describe("an answer to invalid options", () => {
  it("lists every field, and shows five in its message", async () => {
    const options = {
      sandbox: {},
      toolConfig: {},
      maxTurns: 0,
      effort: "least",
      model: 1,
      tools: 5,
      hooks: [],
      betas: 5,
    }
    for (const { error } of await everywhere(options)) {
      expect(error.issues?.map(({ field }) => field).sort()).toEqual(
        Object.keys(options)
          .map((name) => `options.${name}`)
          .sort(),
      )
      expect(error.message).toMatch(/^options\.sandbox is not supported by this version of Perch; .*; and 3 more$/)
      expect(error.field).toBe("options.sandbox")
    }
  })

  it("lists options that conflict with each other", async () => {
    const schema = { type: "array" }
    const hook = [{ hooks: [{ type: "http", url: "https://hooks.example.com" }] }]
    const options = {
      outputFormat: { type: "json_schema", schema },
      clientTools: [{ name: "t", description: "x", inputSchema: schema }],
      hooks: { PreToolUse: hook, WorktreeCreate: hook },
    }
    for (const { error } of await everywhere(options)) {
      expect(error.issues?.map(({ field }) => field)).toEqual([
        "options.outputFormat.schema",
        "options.clientTools[0].inputSchema",
        "options.hooks.WorktreeCreate",
      ])
    }
  })
})
