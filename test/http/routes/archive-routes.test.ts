// How a request selects the compression of an archive.
import { expect, it } from "vitest"
import type { Env } from "../../../src/schemas/env.ts"
import { makeApi } from "../api.ts"

const ARCHIVE = "/v1/sessions/0192f0c1-2345-7abc-8def-0123456789ab/archive"

it("a media type selects gzip in any case", async () => {
  const { call, env } = makeApi()
  const formats: Array<string | null> = []
  const fetch = async (url: string) => {
    formats.push(new URL(url).searchParams.get("format"))
    return Response.json({})
  }
  Object.assign(env, { SESSIONS: { getByName: () => ({ fetch }) } as unknown as Env["SESSIONS"] }) // the one method that is called
  for (const type of ["application/gzip", "Application/GZIP", "application/x-tar"]) {
    await call("PUT", ARCHIVE, { body: "x", headers: { "content-type": type } })
    await call("GET", ARCHIVE, { headers: { accept: type } })
  }
  expect(formats).toEqual(["tar.gz", "tar.gz", "tar.gz", "tar.gz", "tar", "tar"])
})
