// The app's `initialize`, completed with what the command line configures.
import { describe, expect, it } from "vitest"
import { completeInitialize } from "../../src/client/initialize-line.ts"

const NONE = { hasPrompt: false, sdkServers: {} }
const lineOf = (request: object) =>
  JSON.stringify({ type: "control_request", request_id: "r", request: { subtype: "initialize", ...request } })

const completed = (request: object, more: Partial<Parameters<typeof completeInitialize>[1]> = {}) => {
  const line = completeInitialize(lineOf(request), { ...NONE, ...more })
  const { request: sent, ...rest } = JSON.parse(line) as { request: Readonly<Record<string, unknown>> }
  expect(rest).toEqual({ type: "control_request", request_id: "r" })
  const { subtype, ...fields } = sent
  expect(subtype).toBe("initialize")
  return fields
}

describe("the system prompt", () => {
  it.each([
    ["is the preset if nothing configures it", {}, false, { appendSystemPrompt: "" }],
    ["is the preset if it is null", { systemPrompt: null }, false, { appendSystemPrompt: "" }],
    ["of the line is kept", { systemPrompt: ["x"] }, false, { systemPrompt: ["x"] }],
    ["of the line is kept if it is empty", { systemPrompt: [""] }, false, { systemPrompt: [""] }],
    ["appended by the line is kept", { appendSystemPrompt: "x" }, true, { appendSystemPrompt: "x" }],
    ["of the command line is kept", {}, true, {}],
  ])("%s", (_, request, hasPrompt, expected) => expect(completed(request, { hasPrompt })).toEqual(expected))
})

it("what is null is left out, but not inside of a schema", () => {
  const jsonSchema = { properties: { a: { const: null } } }
  const hooks = {
    Stop: [{ matcher: null, hookCallbackIds: ["a"], timeout: 5 }, { hookCallbackIds: [] }],
    PreToolUse: 7,
  }
  expect(completed({ systemPrompt: ["x"], agents: null, jsonSchema, hooks })).toEqual({
    systemPrompt: ["x"],
    jsonSchema,
    hooks: { Stop: [{ hookCallbackIds: ["a"], timeout: 5 }, { hookCallbackIds: [] }], PreToolUse: 7 },
  })
  expect(completed({ systemPrompt: ["x"], hooks: null })).toEqual({ systemPrompt: ["x"] })
})

it("servers inside the app are those of the line and of the command line", () => {
  const sdkServers = { a: { timeout: 1 }, b: {} }
  expect(completed({ systemPrompt: ["x"] }, { sdkServers })).toEqual({
    systemPrompt: ["x"],
    sdkMcpServers: ["a", "b"],
    sdkMcpServerConfigs: sdkServers,
  })
  const own = { systemPrompt: ["x"], sdkMcpServers: ["c", "a"], sdkMcpServerConfigs: { a: { timeout: 2 } } }
  expect(completed(own, { sdkServers })).toEqual({
    systemPrompt: ["x"],
    sdkMcpServers: ["a", "b", "c"],
    sdkMcpServerConfigs: { a: { timeout: 2 }, b: {} },
  })
})

it.each([
  '{"type":"control_response","response":{"request":{"subtype":"initialize"}}}',
  '{"type":"user","message":{"content":"\\"initialize\\""}}',
  '{ "type": "control_request", "request": { "subtype": "initialize" ',
  '"initialize"',
  '[{"type":"control_request","request":{"subtype":"initialize"}}]',
  '{"type":"control_request","request":{"subtype":"set_model","model":"initialize"}}',
])("another line stays as it is: %s", (line) => {
  expect(completeInitialize(line, { hasPrompt: false, sdkServers: { a: {} } })).toBe(line)
})
