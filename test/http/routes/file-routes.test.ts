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
