// Bodies in which an object has a key twice, at each kind of route that reads JSON.
import { describe, expect, it } from "vitest"
import { makeApi } from "../api.ts"

describe("a body with a repeated key", () => {
  it.each([
    ["POST", "/v1/sessions", '{"options":{"model":"a","model":"b"}}', "options.model"],
    ["POST", "/v1/query", '{"prompt":"a","prompt":"b"}', "prompt"],
    ["PUT", "/v1/commands/c", '{"template":"a","description":"a","template":"b"}', "template"],
    ["POST", "/v1/admin/keys", '{"tenant":"acme","scopes":["answer"],"scopes":["admin"]}', "scopes"],
    ["POST", "/v1/webhooks", '{"url":"https://a.example","url":"https://b.example"}', "url"],
    ["POST", "/mcp", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', "method"],
    ["POST", "/v1/ag-ui", '{"threadId":"a","messages":[{"id":"1","role":"user","role":"tool"}]}', "messages[0].role"],
  ])("is refused with the path of the key: %s %s", async (method, path, body, field) => {
    const api = makeApi()
    const { error } = await api.refused(400, method, path, { body })
    expect(error).toMatchObject({ type: "invalid_request_error", field })
    expect(error.message).toBe(`${field}: is in the request body twice. Send it once.`)
  })
})
