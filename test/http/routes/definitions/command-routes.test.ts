// A tenant's stored slash commands, over HTTP.
import { expect, it } from "vitest"
import { makeApi, ROOT_KEY } from "../../api.ts"

const ROUTE = "/v1/commands"
const COMMAND = { template: "Explain $1", description: "Explains.", model: "haiku" }

it("a command is stored, listed with Perch's own, replaced and removed", async () => {
  const { call } = makeApi({ PERCH_ROOT_KEY: ROOT_KEY })
  const created = await call("POST", ROUTE, {
    json: { name: "explain", ...COMMAND },
    headers: { "idempotency-key": "k" },
  })
  expect(created.status).toBe(201)
  expect(await created.json()).toMatchObject({ name: "explain", source: "stored", ...COMMAND })
  const { data } = (await (await call("GET", ROUTE)).json()) as {
    data: ReadonlyArray<{ name: string; source: string }>
  }
  expect(data.map(({ name, source }) => `${name} ${source}`)).toEqual([
    "clear built-in",
    "compact built-in",
    "context built-in",
    "cost built-in",
    "effort built-in",
    "explain stored",
    "help built-in",
    "init built-in",
    "model built-in",
    "rename built-in",
    "review built-in",
  ])
  expect((await call("PUT", `${ROUTE}/explain`, { json: { template: "Explain $ARGUMENTS" } })).status).toBe(200)
  expect(await (await call("GET", `${ROUTE}/explain`)).json()).toMatchObject({ template: "Explain $ARGUMENTS" })
  expect((await call("POST", ROUTE, { json: { name: "explain", ...COMMAND } })).status).toBe(409)
  expect((await call("DELETE", `${ROUTE}/explain`)).status).toBe(204)
  expect((await call("GET", `${ROUTE}/explain`)).status).toBe(404)
})

it.each([
  ["a name that Perch answers itself", { name: "clear", ...COMMAND }],
  ["a name with white space", { name: "a b", ...COMMAND }],
  ["no template", { name: "explain" }],
  ["a field that commands do not have", { name: "explain", ...COMMAND, temperature: 1 }],
])("%s is refused", async (_, json) => {
  const { call } = makeApi({ PERCH_ROOT_KEY: ROOT_KEY })
  expect((await call("POST", ROUTE, { json })).status).toBe(400)
})
