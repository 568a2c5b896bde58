// Bodies with prompts and messages may be as large as in the control protocol; beyond that, a 413 names the limit and the
// alternative for the content, and nothing reaches the session.
import { describe, expect, it } from "vitest"
import { makeApi } from "../api.ts"

const MIB = 1024 * 1024
const image = (bytes: number) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(Math.ceil(bytes / 3) * 4) },
})

describe("a large body", () => {
  it("with three images of 5 MB is accepted, with a content length and in chunks", async () => {
    const { call, create } = makeApi()
    const id = await create()
    const prompt = [{ type: "text", text: "Compare" }, image(4.9 * MIB), image(4.9 * MIB)]
    const text = JSON.stringify({ prompt })
    expect(text.length).toBeGreaterThan(13 * MIB)
    expect((await call("POST", `/v1/sessions/${id}/query`, { body: text })).status).toBe(200)
    const bytes = new TextEncoder().encode(text)
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (out) => {
        if (at >= bytes.length) return out.close()
        out.enqueue(bytes.slice(at, (at += 100_003)))
      },
    })
    expect((await call("POST", `/v1/sessions/${id}/query`, { body })).status).toBe(200)
  })

  it("of 19 MB starts a session with a history", async () => {
    const { call } = makeApi()
    const message = (text: string) => ({
      type: "user",
      message: { role: "user", content: text },
      uuid: crypto.randomUUID(),
      session_id: crypto.randomUUID(),
      parent_tool_use_id: null,
    })
    const history = Array.from({ length: 19 }, () => message("x".repeat(MIB)))
    expect((await call("POST", "/v1/sessions", { json: { history } })).status).toBe(201)
  })

  it.each([
    ["an image over 5 MiB", { prompt: [image(5.1 * MIB)] }, "5 MiB"],
    ["a text over 2,000,000 characters", { prompt: "x".repeat(2_000_001) }, "2000000 characters"],
    [
      "texts that are too much together",
      { prompt: Array(3).fill({ type: "text", text: "x".repeat(900_000) }) },
      "2000000",
    ],
  ])("%s", async (_, json, says) => {
    const { call } = makeApi()
    const response = await call("POST", "/v1/query", { json })
    expect(response.status).toBe(413)
    const { error } = (await response.json()) as { error: { type: string; message: string } } // an error's envelope
    expect(error.type).toBe("request_too_large")
    expect(error.message).toContain(says)
    expect(error.message).toContain("PUT /v1/sessions/{id}/files/{path}")
  })

  it("that exceeds the size of an RPC call because of its characters is a 413 too", async () => {
    const { refused } = makeApi()
    const text = `${"x".repeat(MIB)}é…`
    const history = Array.from({ length: 18 }, () => ({
      type: "user",
      uuid: crypto.randomUUID(),
      message: { role: "user", content: text },
    }))
    expect((await refused(413, "POST", "/v1/sessions", { json: { history } })).error.message).toContain("30 MiB")
  })
})
