// Isolation of tenants, and refusals of the API: the envelope names what was wrong and reveals nothing.
import { randomUUID } from "node:crypto"
import { describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

interface ErrorBody {
  readonly type: string
  readonly error: { readonly type: string; readonly message: string }
  readonly request_id: string
}

const tenantClient = async (tenant: string) => {
  const made = await perch.json<{ key: string }>("POST", "/v1/admin/keys", { json: { tenant }, status: 201 })
  return perch.withKey(made.key)
}

/** The error of a request that must fail with `status`, checked for leaks. */
const refusal = async (
  client: PerchClient,
  status: number,
  method: string,
  route: string,
  options: Parameters<PerchClient["request"]>[2] = {},
) => {
  const response = await client.request(method, route, options)
  const body = await response.text()
  expect({ route, status: response.status, body }).toMatchObject({ route, status })
  expect(body).not.toMatch(/\.ts:\d+|\bat \w+ \(|SELECT |INSERT |node_modules|\/home\/|\/work\/|perch_/)
  const parsed = JSON.parse(body) as ErrorBody // asserted below
  expect(parsed).toMatchObject({ type: "error", error: { type: expect.any(String), message: expect.any(String) } })
  expect(parsed.request_id).toMatch(/\S+/)
  return parsed.error
}

describe("two tenants", () => {
  it("see nothing of each other, whatever they request", async () => {
    const [acme, globex] = [await tenantClient("acme"), await tenantClient("globex")]
    const name = scriptName("secret")
    await api.set(name, [textAnswer("The secret of acme.")])
    const id = await acme.createSession({}, { "/workspace/secret.txt": "acme only\n" })
    await acme.query(id, promptFor(name))

    const routes = [
      "",
      "/events",
      "/events/stream",
      "/messages",
      "/permissions",
      "/cost",
      "/files",
      "/files/workspace/secret.txt",
    ]
    for (const route of routes) {
      const error = await refusal(globex, 404, "GET", `/v1/sessions/${id}${route}`)
      expect(error.type).toBe("not_found_error")
    }
    await refusal(globex, 404, "POST", `/v1/sessions/${id}/query`, { json: { prompt: "hello" } })
    await refusal(globex, 404, "POST", `/v1/sessions/${id}/interrupt`, { json: {} })
    await refusal(globex, 404, "PATCH", `/v1/sessions/${id}`, { json: { title: "mine" } })
    await refusal(globex, 404, "DELETE", `/v1/sessions/${id}`)
    await refusal(globex, 404, "PUT", `/v1/sessions/${id}/files/workspace/x.txt`, { body: "x" })
    await refusal(globex, 403, "POST", "/v1/admin/keys", { json: { tenant: "acme" } })

    const list = await (await globex.request("GET", "/v1/sessions")).text()
    expect(list).not.toContain(id)
    expect(await acme.getFile(id, "/workspace/secret.txt")).toBe("acme only\n")
    // The same id is free for the other tenant: it is a different session.
    await globex.json("POST", "/v1/sessions", { json: { id }, status: 201 })
    expect(await globex.getFile(id, "/workspace/secret.txt")).toBeNull()
  })
})

describe("a refused request", () => {
  it("without a key, or with a wrong one, is a 401", async () => {
    for (const key of [null, "wrong", "perch_acme_0123456789abcdef_0000"]) {
      const error = await refusal(perch, 401, "GET", "/v1/sessions", { key })
      expect(error.type).toBe("authentication_error")
    }
  })

  it("names the field of a bad body", async () => {
    const broken = await refusal(perch, 400, "POST", "/v1/sessions", {
      body: "{not json",
      headers: { "content-type": "application/json" },
    })
    expect(broken.type).toBe("invalid_request_error")
    const cases: ReadonlyArray<readonly [unknown, RegExp]> = [
      [{ id: "not-a-uuid" }, /\bid\b/],
      [{ cwd: "relative/path" }, /\bcwd\b/],
      [{ options: { maxTurns: "many" } }, /maxTurns/],
      [{ options: { permissionMode: "yolo" } }, /permissionMode/],
      [{ options: { mcpServers: { web: { type: "ws", url: "wss://mcp.example.com" } } } }, /mcpServers\.web/],
      [{ options: { plugins: [] } }, /plugins/],
      [{ options: { noSuchOption: 1 } }, /noSuchOption/],
      [{ surprise: true }, /surprise/],
    ]
    for (const [json, named] of cases) {
      const error = await refusal(perch, 400, "POST", "/v1/sessions", { json })
      expect(error.message).toMatch(named)
    }
  })

  it("for an unknown session is a 404, and does not create it", async () => {
    const id = randomUUID()
    for (const route of ["", "/events", "/messages", "/cost", "/files", "/permissions"]) {
      await refusal(perch, 404, "GET", `/v1/sessions/${id}${route}`)
    }
    await refusal(perch, 404, "POST", `/v1/sessions/${id}/query`, { json: { prompt: "hello" } })
    await refusal(perch, 404, "GET", `/v1/sessions/${id}`)
    await refusal(perch, 404, "GET", "/v1/no-such-route")
  })

  it("that is too large is a 413", async () => {
    const id = await perch.createSession()
    const prompt = "x".repeat(21 * 1024 * 1024)
    const error = await refusal(perch, 413, "POST", `/v1/sessions/${id}/query`, { json: { prompt } })
    expect(error.type).toBe("request_too_large")
  })
})
