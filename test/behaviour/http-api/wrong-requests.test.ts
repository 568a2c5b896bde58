// Every request of the table is answered with its status, and with a message that says what to do.
import { describe, expect, it } from "vitest"
import { makeApi } from "../../http/api.ts"
import { WRONG_REQUESTS } from "./wrong-requests.ts"

describe(`${WRONG_REQUESTS.length} wrong requests of newcomers`, () => {
  const api = makeApi()
  it.each(WRONG_REQUESTS)("$about", async ({ send: [method, path, call], status, says }) => {
    const id = await api.create()
    const { error } = await api.refused(status, method, path.replace("SESSION", id), call)
    for (const text of says) expect(error.message.replace(id, "SESSION")).toContain(text)
    expect(error.message.length).toBeLessThan(1200)
  })
})

describe("an archive without a content type", () => {
  it.each([
    ["gzip", [0x1f, 0x8b, 8, 0], "tar.gz"],
    ["tar", [0x70, 0x61, 0x74, 0x68], "tar"],
    ["one byte", [0x1f], "tar"],
  ])("%s is taken for what it is, and arrives whole", async (_, bytes, format) => {
    const api = makeApi()
    const id = await api.create()
    const body = new ReadableStream<Uint8Array>({
      start: (out) => {
        for (const byte of bytes) out.enqueue(Uint8Array.of(byte))
        out.close()
      },
    })
    const sent: Array<readonly [string, ReadonlyArray<number>]> = []
    const fetch = async (url: string | Request, init?: RequestInit) => {
      const received = new Uint8Array(await new Response(init?.body ?? null).arrayBuffer())
      sent.push([new URL(String(url)).searchParams.get("format") ?? "", [...received]])
      return Response.json({ files: 0, directories: 0, links: 0, bytes: 0 })
    }
    Object.assign(api.sessions, { getByName: () => ({ fetch }) })
    expect((await api.call("PUT", `/v1/sessions/${id}/archive`, { body })).status).toBe(200)
    expect(sent).toEqual([[format, bytes]])
  })
})
