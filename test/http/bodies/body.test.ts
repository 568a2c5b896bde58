// Bodies in which an object has a key twice, at each kind of route that reads JSON, and bodies that are missing.
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

describe("a missing body", () => {
  it.each([
    ["/v1/config", {}],
    ["/v1/config", { body: " " }],
    ["/v1/admin/tenants/acme/limits", {}],
    ["/v1/routers/default", { body: "" }],
    ["/v1/commands/summary", {}],
  ])("is refused where it would replace what is stored: PUT %s", async (path, sent) => {
    const { error } = await makeApi().refused(400, "PUT", path, sent)
    expect(error.type).toBe("invalid_request_error")
    expect(error.message).toBe("The request body is missing. PUT replaces everything: send all of it.")
  })
})
