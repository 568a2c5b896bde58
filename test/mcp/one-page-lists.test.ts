// The lists of `/mcp` that have one page.
import { expect, it } from "vitest"
import { makeApi } from "../http/api.ts"

it("a cursor that no page has returned is an invalid parameter of every list, also in a batch", async () => {
  const { call, create } = makeApi()
  const path = `/mcp?session=${await create()}`
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const send = async (json: unknown) => (await call("POST", path, { json, headers })).json()
  const message = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params })
  for (const method of ["tools/list", "prompts/list", "resources/templates/list"]) {
    const error = { code: -32602, message: `cursor: ${method} has one page, so it takes no cursor` }
    expect(await send(message(1, method, { cursor: "next" }))).toMatchObject({ id: 1, error })
    expect(await send([message(2, method, {}), message(3, method, { cursor: "" })])).toMatchObject([
      { id: 2, result: {} },
      { id: 3, error },
    ])
  }
})
