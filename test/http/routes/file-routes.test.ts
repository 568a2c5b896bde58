// Requests for a file over the routes: what reaches the session's object.
import { expect, it } from "vitest"
import { makeApi } from "../api.ts"

it("a range is for GET only: HEAD describes the whole file", async () => {
  const api = makeApi()
  const path = `/v1/sessions/${await api.create()}/files/workspace/a.txt`
  await api.call("PUT", path, { body: "hello" })
  const headers = { range: "bytes=0-0" }
  const got = await api.call("GET", path, { headers })
  expect([got.status, got.headers.get("content-range"), await got.text()]).toEqual([206, "bytes 0-0/5", "h"])
  const head = await api.call("HEAD", path, { headers })
  expect([head.status, head.headers.get("content-range")]).toEqual([200, null])
})

it("a part of a file and compressed content are refused, and the file stays as it is", async () => {
  const api = makeApi()
  const session = `/v1/sessions/${await api.create()}`
  const path = `${session}/files/workspace/a.txt`
  await api.call("PUT", path, { body: "hello" })
  for (const [field, value] of [
    ["Content-Range", "bytes 0-1/5"],
    ["Content-Encoding", "gzip"],
  ] as const) {
    expect((await api.refused(400, "PUT", path, { body: "he", headers: { [field]: value } })).error.field).toBe(field)
  }
  expect(await (await api.call("GET", path)).text()).toBe("hello")
  const part = { body: "", headers: { "content-range": "bytes 0-1/5" } }
  expect((await api.refused(400, "PUT", `${session}/archive`, part)).error.field).toBe("Content-Range")
})

it("a path that is not percent-encoded UTF-8 is refused, not read as another name", async () => {
  const api = makeApi()
  const session = `/v1/sessions/${await api.create()}`
  for (const name of ["%", "100%", "%zz", "caf%E9", "%ED%A0%80"]) {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const { error } = await api.refused(400, method, `${session}/files/workspace/${name}`)
      expect(error).toMatchObject({ field: "path", message: expect.stringContaining("percent-encoded UTF-8") })
    }
  }
  expect((await api.call("PUT", `${session}/files/workspace/100%25`, { body: "" })).status).toBe(201)
})
