// The parameters of requests to `/mcp`.
import { expect, it } from "vitest"
import { makeApi } from "../http/api.ts"

const connect = async () => {
  const { call, create } = makeApi()
  const path = `/mcp?session=${await create()}`
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  return async (json: unknown) => (await call("POST", path, { json, headers })).json()
}

const message = (id: number, method: string, params?: object) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params }),
})

it("a cursor that no page has returned is an invalid parameter of every list, also in a batch", async () => {
  const send = await connect()
  for (const method of ["tools/list", "prompts/list", "resources/templates/list"]) {
    const error = { code: -32602, message: `cursor: ${method} has one page, so it takes no cursor` }
    expect(await send(message(1, method, { cursor: "next" }))).toMatchObject({ id: 1, error })
    expect(await send([message(2, method, {}), message(3, method, { cursor: "" })])).toMatchObject([
      { id: 2, result: {} },
      { id: 3, error },
    ])
  }
})

it.each([
  ["initialize", undefined, "params: "],
  ["initialize", { protocolVersion: 5 }, "params.protocolVersion: "],
  ["tools/call", undefined, "params: "],
  ["tools/call", {}, "params.name: "],
  ["tools/call", { name: "Read", arguments: [] }, "params.arguments: "],
  ["tools/list", { cursor: 5 }, "params.cursor: "],
  ["prompts/get", undefined, "params: "],
  ["prompts/get", { name: "review", arguments: { arguments: 5 } }, "params.arguments.arguments: "],
  ["resources/read", { uri: 5 }, "params.uri: "],
])("%s with the parameters %j is an error that names the invalid one", async (method, params, named) => {
  const send = await connect()
  const refused = { id: 1, error: { code: -32602, message: expect.stringMatching(`^${named}Invalid input: `) } }
  expect(await send(message(1, method, params))).toMatchObject(refused)
  if (method === "initialize") return
  expect(await send([message(2, "ping"), message(1, method, params)])).toMatchObject([{ id: 2, result: {} }, refused])
})

it("a method that is not offered is unknown, whatever its parameters", async () => {
  const send = await connect()
  for (const method of ["resources/subscribe", "logging/setLevel", "completion/complete"]) {
    expect(await send(message(1, method))).toMatchObject({ error: { code: -32601 } })
  }
})
