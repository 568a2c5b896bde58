// The credentials of sessions for MCP servers: client secrets, private keys, tokens, codes, verifiers and assertions are in no
// answer, no database row, no object and no log line, except sealed, and in the session's own record of its options.
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { type Ask, eventually, PerchClient } from "../../support/server/client.ts"
import { ControlSocket } from "../../support/server/control-socket.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { CLIENT, type OAuthServer, startOAuthServer } from "../../support/mcp/oauth-server.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { searchState } from "../../support/values/state-search.ts"

const shared = inject("shared")
const root = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
let server: TestMcpServer
let oauth: OAuthServer

beforeAll(async () => {
  server = await startMcpServer()
  oauth = await startOAuthServer()
  oauth.protect(server)
})
afterAll(async () => {
  await server.close()
  await oauth.close()
})

const answers: Array<string> = []
const ask = async (perch: PerchClient, method: string, route: string, json?: object) => {
  const response = await perch.request(method, route, json === undefined ? {} : { json })
  const body = await response.text()
  answers.push(`${JSON.stringify([...response.headers])}\n${body}`)
  return JSON.parse(body === "" ? "{}" : body) as Record<string, unknown>
}

const wrong = `wrong-${randomBytes(9).toString("hex")}`
const header = `canary-${randomBytes(9).toString("hex")}`
const far = (signIn: object) => ({ type: "http", url: server.http, oauth: signIn, headers: { "x-team": header } })
const OWN = { grant: "client_credentials", clientId: CLIENT.id }

/** A turn whose call returns the headers that the server received, including its token. */
const scripted = async () => {
  const script = scriptName("mcp-secrets")
  await api.set(script, [{ content: [call("mcp__far__headers", {})] }, textAnswer("Done.")])
  return promptFor(script)
}

/** The user signs in at the page of an ask. */
const signIn = async (page: unknown) => {
  const visited = await fetch(String(page), { redirect: "manual" })
  const back = await fetch(visited.headers.get("location") ?? "")
  answers.push(await back.text())
}

it("reveals none of its credentials for MCP servers", async () => {
  const tenant = `mcp-secrets-${randomBytes(4).toString("hex")}`
  const { key } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json: { tenant }, status: 201 })
  const perch = root.withKey(key)
  const bypass = { permissionMode: "bypassPermissions" }
  const query = async (id: string) => ask(perch, "POST", `/v1/sessions/${id}/query`, { prompt: await scripted() })
  const create = async (options: object) => String((await ask(perch, "POST", "/v1/sessions", { options }))["id"])

  // With a secret, with a rejected one, and changed by PATCH.
  const own = await create({ ...bypass, mcpServers: { far: far({ ...OWN, clientSecret: CLIENT.secret }) } })
  expect(JSON.stringify(await query(own))).toContain("Done.")
  await ask(perch, "PATCH", `/v1/sessions/${own}`, {
    options: { mcpServers: { far: far({ ...OWN, clientSecret: wrong }) } },
  })
  await query(own)

  // A user, who is asked again for a larger scope.
  oauth.needs = ({ rpc }) => (rpc === "tools/call" ? ["mcp:write"] : [])
  const users = await create({ ...bypass, mcpServers: { far: far({ grant: "authorization_code" }) } })
  const accepted = await query(users)
  const [first] = accepted["pending"] as ReadonlyArray<Ask>
  await signIn(first?.input["url"])
  const second = await eventually(async () => {
    const { pending } = await perch.json<{ pending: ReadonlyArray<Ask> }>("GET", `/v1/sessions/${users}/permissions`)
    return pending.find(({ request_id }) => request_id !== first?.request_id)
  })
  await signIn(second.input["url"])
  await eventually(async () => {
    const turn = await ask(perch, "GET", `/v1/sessions/${users}/turns/${String(accepted["turn_id"])}?wait=5`)
    return turn["status"] === "completed" ? turn : undefined
  })
  oauth.needs = () => []

  // A private key, for a server that the tenant stores.
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  oauth.trust(String(publicKey.export({ type: "spki", format: "pem" })))
  const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }))
  await ask(perch, "PUT", "/v1/mcp-servers/far", far({ ...OWN, privateKey: pem }))
  const plain = await create(bypass)
  expect(JSON.stringify(await query(plain))).toContain("Done.")
  expect(oauth.assertions.length).toBeGreaterThan(0)

  for (const id of [own, users, plain]) {
    for (const part of ["", "/messages", "/events", "/permissions", "/tools", "/turns"])
      await ask(perch, "GET", `/v1/sessions/${id}${part}`)
    const socket = await ControlSocket.open({ url: shared.url, key }, id, { after: 0 })
    await socket.request({ subtype: "mcp_status" })
    await socket.request({ subtype: "mcp_reconnect", serverName: "far" }).catch(() => undefined)
    answers.push(JSON.stringify(socket.frames))
    socket.close()
  }
  await ask(perch, "GET", "/v1/mcp-servers")

  const forms = oauth.tokenRequests.map(({ form }) => form)
  const of = (name: string) => forms.flatMap((form) => form[name] ?? [])
  const [codes, verifiers, assertions] = [of("code"), of("code_verifier"), of("client_assertion")]
  expect([codes.length, verifiers.length]).toEqual([2, 2])
  const lines = pem.split("\n").filter((line) => line.length > 40)
  const secrets = [CLIENT.secret, wrong, header, ...lines, ...oauth.given, ...codes, ...verifiers, ...assertions]
  expect(secrets.length).toBeGreaterThan(30)
  // The servers did receive them.
  expect(
    server.asked.some(
      ({ headers }) => headers.authorization?.endsWith(String(oauth.given.at(-1))) || headers["x-team"] === header,
    ),
  ).toBe(true)
  const shown = secrets.filter((secret) => answers.some((answer) => answer.includes(secret)))
  expect(shown).toEqual([])
  await eventually(async () => {
    const { delivery } = await perch.json<{ delivery: { lag_events: number } }>("GET", `/v1/sessions/${plain}`)
    return delivery.lag_events === 0 ? true : undefined
  })
  const hits = await searchState(shared.state, [...secrets, users])
  const stored = hits.filter(({ text }) => text !== users)
  expect(stored.map(({ where, text: found }) => `${found.slice(0, 12)}: ${where}`)).toEqual([])
  // The searched state does contain the sessions' activity.
  expect(hits.length).toBeGreaterThan(stored.length)
})
