// Remote MCP servers behind OAuth with client credentials: tokens are obtained, stored sealed, renewed, and never revealed.
import { generateKeyPairSync } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { CLIENT } from "../../support/mcp/oauth-server.ts"
import { behindOAuth } from "../../support/mcp/behind-oauth.ts"
import { DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, scripted } = loop()
const behind = behindOAuth()

const far = (more: object = {}, type: "http" | "sse" = "http"): SessionOptions =>
  behind.far({ grant: "client_credentials", clientId: CLIENT.id, clientSecret: CLIENT.secret, ...more }, {}, type)

const ECHO = () => ({ content: [call("mcp__far__echo_3", { text: "hi" })] })

/** Runs a prompt whose turn calls a tool; returns the result of that call and the session's listed servers. */
const runOf = async (session: Awaited<ReturnType<typeof connected>>, step: object = ECHO()) => {
  prompt(session.session, promptFor(scripted([step, DONE])))
  await session.idle()
  const events = eventsOf(session.log)
  const [init] = payloadsOf(events, "sdk:system/init").slice(-1)
  return { result: JSON.stringify(toolResultsOf(events).slice(-1)), servers: init?.["mcp_servers"] }
}

describe.each(["http", "sse"] as const)("a server of type %s behind OAuth", (type) => {
  it("is used with a token for it, obtained through the server's metadata", async () => {
    const session = await connected({}, far({}, type))
    const { result, servers } = await runOf(session)
    expect(result).toContain("echo_3:")
    expect(servers).toMatchObject([{ name: "far", status: "connected" }])
    expect(behind.oauth.tokenRequests).toEqual([
      {
        form: { grant_type: "client_credentials", scope: "mcp:tools", resource: behind.server[type] },
        basic: `${CLIENT.id}:${CLIENT.secret}`,
      },
    ])
  })
})

describe("a token", () => {
  it("is requested at the configured address, for the configured scope", async () => {
    const session = await connected({}, far({ tokenUrl: `${behind.oauth.url}/token`, scope: "mine" }))
    expect((await runOf(session)).result).toContain("echo_3:")
    expect(behind.oauth.tokenRequests).toMatchObject([{ form: { scope: "mine" } }])
    expect(behind.server.asked.filter(({ path }) => path.startsWith("/.well-known"))).toEqual([])
  })

  it("is used until it expires, also after a restart, and renewed before", async () => {
    const session = await connected({}, far())
    await runOf(session)
    session.harness.crash()
    const again = { ...session, ...session.harness.boot() }
    expect((await runOf(again)).result).toContain("echo_3:")
    expect(behind.oauth.tokenRequests).toHaveLength(1)
    // A token that expires sooner than the renewal margin is renewed for each request.
    behind.oauth.lifetime = 1
    behind.oauth.revoke()
    await runOf(again)
    const requests = behind.oauth.tokenRequests.length
    expect(requests).toBeGreaterThan(1)
    expect((await runOf(again)).result).toContain("echo_3:")
    expect(behind.oauth.tokenRequests.length).toBeGreaterThan(requests)
  })

  it("that the server rejects is replaced, and the call is made once", async () => {
    const session = await connected({}, far())
    await runOf(session)
    behind.oauth.revoke()
    expect((await runOf(session)).result).toContain("echo_3:")
    expect(behind.oauth.tokenRequests).toHaveLength(2)
    const calls = behind.server.asked.filter(({ rpc }) => rpc === "tools/call")
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  it("that can't be obtained marks the server as needing authorization, with the reason", async () => {
    const session = await connected({}, far({ clientSecret: "wrong-secret-4711" }))
    const { servers } = await runOf(session, DONE)
    expect(servers).toMatchObject([{ name: "far", status: "needs-auth" }])
    const status = JSON.stringify(await session.client.request("mcp_status"))
    expect(status).toContain("refused the request with status 400 (invalid_client)")
    expect(status).not.toContain("wrong-secret")
  })

  it("is obtained with a signed assertion if the client has a key", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    behind.oauth.trust(String(publicKey.export({ type: "spki", format: "pem" })))
    const key = String(privateKey.export({ type: "pkcs8", format: "pem" }))
    const signIn = { grant: "client_credentials", clientId: CLIENT.id, privateKey: key }
    const session = await connected({}, behind.far(signIn))
    expect((await runOf(session)).result).toContain("echo_3:")
    behind.oauth.revoke()
    expect((await runOf(session)).result).toMatch(/echo_3:/)
    expect(behind.oauth.assertions).toMatchObject([{ iss: CLIENT.id }, { iss: CLIENT.id }])
    const line = key.split("\n")[1] ?? ""
    expect(JSON.stringify([eventsOf(session.log), session.session.info()])).not.toContain(line)
  })

  it("is not requested at another server's authorization server", async () => {
    const { server } = behind
    const { intercept } = server
    server.intercept = (asked, response) => {
      if (!asked.path.startsWith("/.well-known")) return intercept(asked, response)
      response
        .writeHead(200)
        .end(JSON.stringify({ resource: "https://bank.example/mcp", authorization_servers: [behind.oauth.url] }))
      return true
    }
    const { servers } = await runOf(await connected({}, far()), DONE)
    expect(servers).toMatchObject([{ status: "needs-auth" }])
    expect(behind.oauth.tokenRequests).toEqual([])
  })
})

describe("the secrets of OAuth", () => {
  it("are in no event, answer or row except sealed, and the client's are in the session's own record", async () => {
    const session = await connected({}, far())
    // The tool returns the request's headers.
    await runOf(session, { content: [call("mcp__far__headers", {})] })
    session.session.changes.patch({ options: far({ scope: "other" }) })
    await runOf(session)
    const status = await session.client.request("mcp_status")
    const shown = JSON.stringify([eventsOf(session.log), status, session.session.info(), session.client.frames])
    expect(behind.oauth.given.length).toBeGreaterThan(1)
    const tables = session.harness.twin.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
    const rows = tables.map(({ name }) => ({
      name,
      rows: JSON.stringify(session.harness.twin.sql.exec(`SELECT * FROM ${name}`).toArray()),
    }))
    for (const secret of behind.oauth.given) {
      expect(shown).not.toContain(secret)
      expect(rows.filter((table) => table.rows.includes(secret))).toEqual([])
    }
    expect(shown).not.toContain(CLIENT.secret)
    const meta = session.harness.twin.sql.exec("SELECT key, json FROM meta").toArray()
    const holders = meta.filter((row) => JSON.stringify(row).includes(CLIENT.secret)).map(({ key }) => key)
    expect(holders).toEqual(["session"])
    expect(shown).toContain('"clientSecret":"***"')
  })
})
