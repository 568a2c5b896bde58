// Remote MCP servers that a user signs in to: the turn waits for the sign-in before it starts, the browser's callback counts
// once, and no secret is revealed.
import { describe, expect, it } from "vitest"
import type { Env } from "../../../src/schemas/env.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { pendingAsk } from "../../../src/session/storage/ask-store.ts"
import { CLIENT } from "../../support/mcp/oauth-server.ts"
import { behindOAuth } from "../../support/mcp/behind-oauth.ts"
import { askedPage as urlOf, comeBack, HOME, visit } from "../../support/mcp/browser.ts"
import { DONE, loop, namesOf, payloadsOf, resultOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const { harnessOf, scripted } = loop()

const behind = behindOAuth()

const far = (more: object = {}, options: SessionOptions = {}): SessionOptions =>
  behind.far({ grant: "authorization_code", ...more }, options)

const ECHO = () => ({ content: [call("mcp__far__echo_3", { text: "hi" })] })

const boot = (options = far(), settings: Partial<Env> = {}) => {
  const harness = harnessOf(options, undefined, settings)
  const booted = harness.boot()
  booted.authorizations.origin = HOME
  return { ...booted, harness }
}

const ask = ({ session }: Booted) => pendingAsk(session.askStore.open[0]!)

/** A session whose turn waits for its user. */
const asked = async (options = far(), settings: Partial<Env> = {}) => {
  const booted = boot(options, settings)
  const turn = prompt(booted.session, promptFor(scripted([ECHO(), DONE])))
  await booted.idle()
  expect(booted.session.askStore.open).toHaveLength(1)
  return { ...booted, turn }
}

const resultsOf = ({ log }: Pick<Booted, "log">) => JSON.stringify(toolResultsOf(eventsOf(log)))

describe("a server that a user signs in to", () => {
  it("makes the turn wait for an ask, and is used in it once the user has signed in", async () => {
    const booted = await asked()
    const { session, idle, log, turn } = booted
    expect(ask(booted)).toMatchObject({
      kind: "elicitation",
      turn_id: turn,
      tool_name: "mcp__far",
      input: { mcp_server_name: "far", mode: "url", url: expect.stringContaining(`${behind.oauth.url}/authorize?`) },
    })
    expect(session.state).toBe("requires_action")
    expect(namesOf(eventsOf(log)).filter((name) => name.startsWith("sdk:"))).toEqual([])
    const page = new URL(urlOf(booted))
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      redirect_uri: `${HOME}/v1/mcp/callback`,
      resource: behind.server.http,
      scope: "mcp:tools",
      code_challenge_method: "S256",
    })
    expect(behind.oauth.registrations).toMatchObject([{ redirect_uris: [`${HOME}/v1/mcp/callback`] }])
    expect(await comeBack(booted, await visit(page.href))).toBe("authorized")
    await idle()
    expect(resultsOf(booted)).toContain("echo_3:")
    const events = eventsOf(log)
    expect(payloadsOf(events, "ask:settled")).toMatchObject([{ by: "client", answer: { action: "accept" } }])
    expect(payloadsOf(events, "sdk:system/init")).toMatchObject([{ mcp_servers: [{ status: "connected" }] }])
    expect(problemsOf(events, [turn])).toEqual([])
  })

  it.each([
    { methods: ["private_key_jwt", "client_secret_basic", "client_secret_post"], method: "client_secret_basic" },
    { methods: ["client_secret_post", "client_secret_basic"], method: "client_secret_basic" },
    { methods: ["private_key_jwt", "client_secret_post"], method: "client_secret_post" },
    { methods: ["client_secret_post", "none"], method: "none" },
  ])("registers the session with the method that it then uses: $method of $methods", async ({ methods, method }) => {
    behind.oauth.methods = methods
    const booted = await asked()
    expect(behind.oauth.registrations).toMatchObject([{ token_endpoint_auth_method: method }])
    expect(await comeBack(booted, await visit(urlOf(booted)))).toBe("authorized")
    await booted.idle()
    expect(resultsOf(booted)).toContain("echo_3:")
  })

  it("does not ask again while the token can be refreshed, and asks again when it can't", async () => {
    const booted = await asked(far({ clientId: CLIENT.id, clientSecret: CLIENT.secret }))
    const { session, idle } = booted
    await comeBack(booted, await visit(urlOf(booted)))
    await idle()
    expect(behind.oauth.registrations).toEqual([])
    behind.oauth.revoke()
    prompt(session, promptFor(scripted([ECHO(), DONE])))
    await idle()
    expect(behind.oauth.tokenRequests.map(({ form }) => form["grant_type"])).toEqual([
      "authorization_code",
      "refresh_token",
    ])
    expect(resultsOf(booted).match(/echo_3:/g)).toHaveLength(2)
    behind.oauth.revoke()
    behind.oauth.refreshes = false
    // The call that finds the token invalid waits for the user.
    prompt(session, promptFor(scripted([ECHO(), DONE])))
    await until(() => session.askStore.open.length === 1)
    await comeBack(booted, await visit(urlOf(booted)))
    await idle()
    expect(resultsOf(booted).match(/echo_3:/g)).toHaveLength(3)
  })

  it("does not ask again while the token endpoint is out of order, and is used when it works again", async () => {
    const booted = await asked()
    const { session, idle, log } = booted
    await comeBack(booted, await visit(urlOf(booted)))
    await idle()
    behind.oauth.revoke()
    behind.oauth.isDown = true
    prompt(session, promptFor(scripted([ECHO(), DONE])))
    await until(() => session.askStore.open.length > 0 || payloadsOf(eventsOf(log), "sdk:result/success").length === 2)
    expect(session.askStore.open).toEqual([])
    expect(resultsOf(booted)).toContain("refused the request with status 503")
    behind.oauth.isDown = false
    session.remoteMcp.clearFailure("far")
    prompt(session, promptFor(scripted([ECHO(), DONE])))
    await idle()
    expect(session.askStore.open).toEqual([])
    expect(resultsOf(booted).match(/echo_3:/g)).toHaveLength(2)
  })

  it("asks once per turn: if declined, the turn continues without it", async () => {
    const booted = await asked()
    const { session, idle, log } = booted
    const { request_id } = ask(booted)
    expect(session.asks.answer(request_id, { action: "accept" })).toMatchObject({ refused: { field: "action" } })
    expect(session.asks.answer(request_id, { action: "decline" })).toBeUndefined()
    session.remoteMcp.clearFailure("far")
    await idle()
    expect(payloadsOf(eventsOf(log), "sdk:system/init")).toMatchObject([
      { mcp_servers: [{ name: "far", status: "needs-auth" }] },
    ])
    expect(payloadsOf(eventsOf(log), "ask:opened")).toHaveLength(1)
  })

  it.each([
    ["", HOME],
    ["https://perch.example", "https://perch.example"],
  ])(
    "redirects the browser to PERCH_PUBLIC_URL, and where the last prompt came if it is empty: %j",
    async (url, home) => {
      const page = new URL(urlOf(await asked(far(), { PERCH_PUBLIC_URL: url })))
      expect(page.searchParams.get("redirect_uri")).toBe(`${home}/v1/mcp/callback`)
    },
  )

  it("waits through a restart", async () => {
    const first = await asked()
    const back = await visit(urlOf(first))
    first.harness.crash()
    const again = { ...first, ...first.harness.boot() }
    await again.idle()
    expect(again.session.askStore.open).toHaveLength(1)
    expect(await comeBack(again, back)).toBe("authorized")
    await again.idle()
    expect(resultsOf(again)).toContain("echo_3:")
  })

  it("can be stopped with its turn", async () => {
    const { session, stopTurn, log } = await asked()
    expect(await stopTurn()).toBe(true)
    expect(session.askStore.open).toEqual([])
    expect(resultOf(eventsOf(log))).toMatchObject({ subtype: "error_during_execution" })
  })

  it("does not ask if no one can be asked, or if Perch's own address is unknown", async () => {
    for (const [options, origin] of [
      [far({}, { permission_prompts: "deny" }), HOME],
      [far(), undefined],
    ] as const) {
      const booted = boot(options)
      booted.authorizations.origin = origin
      prompt(booted.session, promptFor(scripted([DONE])))
      await booted.idle()
      expect(resultOf(eventsOf(booted.log))).toMatchObject({ result: "Done." })
      expect(payloadsOf(eventsOf(booted.log), "sdk:system/init")).toMatchObject([
        { mcp_servers: [{ status: "needs-auth" }] },
      ])
    }
  })

  it("is offered to clients as a page to visit; accepting the ask does not settle it", async () => {
    const { harness, session, idle, ...rest } = boot()
    const client = harness.connect()
    await client.initialize()
    prompt(session, promptFor(scripted([ECHO(), DONE])))
    await until(() => client.asked("elicitation").length === 1)
    const { id, request } = client.asked("elicitation")[0]!
    expect(request).toMatchObject({ mode: "url", mcp_server_name: "far" })
    client.answer(id, { action: "accept" })
    await idle()
    expect(session.askStore.open).toHaveLength(1)
    const booted = { ...rest, session, idle } as Booted
    await comeBack(booted, await visit(String(request["url"])))
    await idle()
    expect(resultsOf(booted)).toContain("echo_3:")
  })
})

describe("the browser's callback", () => {
  it("counts once", async () => {
    const booted = await asked()
    const back = await visit(urlOf(booted))
    const both = await Promise.all([comeBack(booted, back), comeBack(booted, back)])
    expect(both.toSorted()).toEqual(["authorized", "unknown"])
    await booted.idle()
  })

  it("is ignored when the ask is settled, or the state belongs to another one", async () => {
    const booted = await asked()
    const back = await visit(urlOf(booted))
    expect(await booted.authorizations.callback({ nonce: "made-up", code: "x" })).toBe("unknown")
    booted.session.asks.answer(ask(booted).request_id, { action: "cancel" })
    expect(await comeBack(booted, back)).toBe("unknown")
    await booted.idle()
    expect(behind.oauth.tokenRequests).toEqual([])
  })

  it("may be a refusal, an invalid code, or one of another server", async () => {
    const without = (change: (back: URL) => void) => async () => {
      const booted = await asked()
      const back = await visit(urlOf(booted))
      change(back)
      const outcome = await comeBack(booted, back)
      await booted.idle()
      expect(resultOf(eventsOf(booted.log))).toMatchObject({ subtype: "success" })
      return outcome
    }
    expect(await without((back) => back.searchParams.delete("code"))()).toBe("declined")
    expect(await without((back) => back.searchParams.set("code", "other"))()).toBe("failed")
    expect(await without((back) => back.searchParams.set("iss", "https://else.example"))()).toBe("failed")
  })
})

describe("the secrets of an authorization", () => {
  it("are in no event and in no row, except sealed", async () => {
    const booted = await asked()
    const back = await visit(urlOf(booted))
    await comeBack(booted, back)
    await booted.idle()
    const { sql } = booted.harness.twin
    const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
    const stored = tables.map(({ name }) => JSON.stringify(sql.exec(`SELECT * FROM ${name}`).toArray())).join("\n")
    const { form } = behind.oauth.tokenRequests[0]!
    for (const secret of [...behind.oauth.given, form["code"]!, form["code_verifier"]!]) {
      expect(stored).not.toContain(secret)
      expect(JSON.stringify(eventsOf(booted.log))).not.toContain(secret)
    }
  })
})
