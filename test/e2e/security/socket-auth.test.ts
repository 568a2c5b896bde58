// Who may open a session's socket: keys in headers, tickets in the URL, either of them as the first line; no other client.
import http from "node:http"
import { describe, expect, inject, it } from "vitest"
import { eventually, PerchClient } from "../../support/server/client.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)

const INITIALIZE = '{"type":"control_request","request_id":"init-1","request":{"subtype":"initialize"}}\n'

const firstLine = (token: string) => `${JSON.stringify({ type: "auth", credential: { type: "oauth", token } })}\n`

const ticketOf = async (id: string, roles: ReadonlyArray<string>) =>
  (await perch.json<{ ticket: string }>("POST", `/v1/sessions/${id}/tickets`, { json: { roles }, status: 201 })).ticket

interface Received {
  text: string
  closed: { readonly code: number; readonly reason: string } | null
}

/** Opens a socket, sends these lines, and listens until `enough`. */
const converse = async (url: string, lines: ReadonlyArray<string>, enough: (received: Received) => boolean) => {
  const received: Received = { text: "", closed: null }
  const socket = new WebSocket(url.replace("http", "ws"))
  socket.addEventListener("open", () => {
    for (const line of lines) socket.send(line)
  })
  socket.addEventListener("message", ({ data }) => {
    received.text += String(data)
  })
  socket.addEventListener("close", ({ code, reason }) => {
    received.closed = { code, reason }
  })
  try {
    return await eventually(async () => (enough(received) ? received : undefined))
  } finally {
    socket.close()
  }
}

const answered = ({ text }: Received) => text.includes('"init-1"') && text.endsWith("\n")
const closed = ({ closed: close }: Received) => close !== null

/** The HTTP status of a handshake, and the error of one that was refused. */
const handshake = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    const request = http.get(url, {
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
      timeout: 20_000,
    })
    request.on("upgrade", (response, socket) => {
      socket.destroy()
      resolve({ status: response.statusCode ?? 0, body: "" })
    })
    request.on("response", async (response) => {
      let body = ""
      for await (const chunk of response.setEncoding("utf8")) body += chunk
      resolve({ status: response.statusCode ?? 0, body })
    })
    request.on("timeout", () => request.destroy(new Error("no answer")))
    request.on("error", reject)
  })

describe("a session's socket", () => {
  it("opens for a key or a ticket as the first line, and for a ticket in the URL", async () => {
    const id = await perch.createSession()
    const url = `${shared.url}/v1/sessions/${id}/socket`
    const ticket = await ticketOf(id, ["observe"])
    for (const [at, lines] of [
      [url, [firstLine(shared.key), INITIALIZE]],
      [url, [firstLine(ticket) + INITIALIZE]],
      [`${url}?ticket=${ticket}`, [INITIALIZE]],
    ] as const) {
      const { text } = await converse(at, lines, answered)
      const frames = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      expect(frames).toContainEqual(
        expect.objectContaining({
          type: "control_response",
          response: expect.objectContaining({ subtype: "success", request_id: "init-1" }),
        }),
      )
    }
    expect(await handshake(url, { authorization: `Bearer ${shared.key}` })).toMatchObject({ status: 101 })
    expect(await handshake(url, { "x-api-key": shared.key })).toMatchObject({ status: 101 })
  })

  it("closes with its error's code on an invalid first line", async () => {
    const id = await perch.createSession()
    const url = `${shared.url}/v1/sessions/${id}/socket`
    const other = await ticketOf(await perch.createSession(), ["observe"])
    const blind = await ticketOf(id, ["prompt"])
    for (const [line, code] of [
      [firstLine("wrong"), 4401],
      [firstLine(other), 4401],
      [firstLine(blind), 4403],
      [INITIALIZE, 4401],
      ["what\n", 4401],
    ] as const) {
      const received = await converse(url, [line], closed)
      expect(received).toMatchObject({ text: "", closed: { code, reason: expect.stringMatching(/\w/) } })
    }
  })

  it("accepts and closes with its error's code if a ticket in the URL is invalid: a page sees no HTTP status", async () => {
    const id = await perch.createSession()
    const url = `${shared.url}/v1/sessions/${id}/socket`
    const other = await ticketOf(await perch.createSession(), ["observe"])
    const gone = await perch.createSession()
    const late = await ticketOf(gone, ["observe"])
    await perch.json("DELETE", `/v1/sessions/${gone}`)
    for (const [at, code, reason] of [
      [`${url}?ticket=bad`, 4401, "The ticket is not valid"],
      [`${url}?ticket=`, 4401, "The ticket is not valid"],
      [`${url}?ticket=${other}`, 4401, "The ticket is for another session"],
      [`${url}?ticket=${await ticketOf(id, ["prompt"])}`, 4403, "roles"],
      [`${url}?ticket=${await ticketOf(id, ["observe"])}&after=x`, 4400, "after"],
      [`${shared.url}/v1/sessions/${gone}/socket?ticket=${late}`, 4404, "no such session"],
    ] as const) {
      const received = await converse(at, [INITIALIZE], closed)
      expect(received, at).toMatchObject({ text: "", closed: { code, reason: expect.stringContaining(reason) } })
    }
  })

  it("answers a wrong key with 401, and a plain GET with 426, before any upgrade", async () => {
    const id = await perch.createSession()
    const url = `${shared.url}/v1/sessions/${id}/socket`
    for (const [at, headers, expected, type] of [
      [url, { authorization: "Bearer wrong" }, 401, "authentication_error"],
      [`${url}?ticket=a.b`, { authorization: "Bearer wrong" }, 401, "authentication_error"],
      [url, { "x-api-key": "wrong" }, 401, "authentication_error"],
    ] as const) {
      const { status, body } = await handshake(at, headers)
      expect([status, JSON.parse(body)]).toMatchObject([expected, { error: { type } }])
    }
    const plain = await perch.request("GET", `/v1/sessions/${id}/socket`)
    expect([plain.status, await plain.json()]).toMatchObject([426, { error: { type: "upgrade_required_error" } }])
  })

  it("does not exist for another tenant, however its key is sent", async () => {
    const id = await perch.createSession()
    const url = `${shared.url}/v1/sessions/${id}/socket`
    const { key } = await perch.json<{ key: string }>("POST", "/v1/admin/keys", {
      json: { tenant: "socket-stranger" },
      status: 201,
    })
    expect(await handshake(url, { authorization: `Bearer ${key}` })).toMatchObject({ status: 404 })
    expect(await converse(url, [firstLine(key)], closed)).toMatchObject({ text: "", closed: { code: 4404 } })
    const posted = await perch.withKey(key).request("POST", `/v1/sessions/${id}/events`, {
      json: { session_id: id, events: [{ payload: { type: "keep_alive" } }] },
    })
    expect(posted.status).toBe(404)
    const stream = await perch.withKey(key).request("GET", `/v1/sessions/${id}/events/stream?format=client`)
    expect(stream.status).toBe(404)
  })
})
