// A remote MCP server that requires a larger scope for a call than the session's token has: with client credentials the session
// obtains it, and otherwise a user is asked for it while the call waits.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { CLIENT } from "../../support/mcp/oauth-server.ts"
import { behindOAuth } from "../../support/mcp/behind-oauth.ts"
import { askedPage, comeBack, HOME, visit } from "../../support/mcp/browser.ts"
import { DONE, loop, payloadsOf, resultOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { holdTimers } from "../../support/values/held-timers.ts"
import { type Booted, eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const { harnessOf, scripted } = loop()
const behind = behindOAuth()

/** Tool calls need a scope of their own. */
const needWrite = (): void => {
  behind.oauth.needs = ({ rpc }) => (rpc === "tools/call" ? ["mcp:write"] : [])
}

const ECHO = () => call("mcp__far__echo_3", { text: "hi" })
const ownTokens = (more: object = {}) =>
  behind.far({ grant: "client_credentials", clientId: CLIENT.id, clientSecret: CLIENT.secret, ...more })
const userTokens = (options: SessionOptions = {}) => behind.far({ grant: "authorization_code" }, options)

const boot = (options: SessionOptions) => {
  const harness = harnessOf(options)
  const booted = harness.boot()
  booted.authorizations.origin = HOME
  return { ...booted, harness }
}

const resultsOf = ({ log }: Pick<Booted, "log">) => JSON.stringify(toolResultsOf(eventsOf(log)))
const scopesAsked = () => behind.oauth.tokenRequests.map(({ form }) => form["scope"])

/** A session whose user has signed in, and whose turn waits until they have granted the larger scope. */
const waiting = async (options = userTokens()) => {
  const booted = boot(options)
  const turn = prompt(booted.session, promptFor(scripted([{ content: [ECHO(), ECHO()] }, DONE])))
  await booted.idle()
  await comeBack(booted, await visit(askedPage(booted)))
  await until(() => booted.session.askStore.open.length === 1)
  return { ...booted, turn }
}

describe("a client with its own credentials", () => {
  it("obtains the scope that a call needs in addition to its own, and the call is made once", async () => {
    needWrite()
    const booted = boot(ownTokens())
    prompt(booted.session, promptFor(scripted([{ content: [ECHO()] }, DONE])))
    await booted.idle()
    expect(resultsOf(booted)).toContain("echo_3:")
    expect(scopesAsked()).toEqual(["mcp:tools", "mcp:tools mcp:write"])
    // The larger token is kept.
    prompt(booted.session, promptFor(scripted([{ content: [ECHO()] }, DONE])))
    await booted.idle()
    expect(behind.oauth.tokenRequests).toHaveLength(2)
  })

  it("requests no more than its configuration names, and nothing twice that was not granted", async () => {
    needWrite()
    const limited = boot(ownTokens({ scope: "mcp:tools" }))
    prompt(limited.session, promptFor(scripted([{ content: [ECHO()] }, DONE])))
    await limited.idle()
    expect(resultsOf(limited)).toContain("The server requires a larger scope than oauth.scope.")
    expect(scopesAsked()).toEqual(["mcp:tools"])
    const refused = boot(ownTokens({ scope: "mcp:tools mcp:write" }))
    behind.oauth.needs = ({ rpc }) => (rpc === "tools/call" ? ["mcp:admin", "mcp:write"] : [])
    prompt(refused.session, promptFor(scripted([{ content: [ECHO()] }, DONE])))
    await refused.idle()
    expect(scopesAsked()).toEqual(["mcp:tools", "mcp:tools mcp:write"])
  })
})

describe("a user", () => {
  it("is asked while calls wait, which are then made with the larger token", async () => {
    needWrite()
    const booted = await waiting()
    const { session, idle, log, turn } = booted
    expect(session.state).toBe("requires_action")
    const page = new URL(askedPage(booted))
    expect(page.searchParams.get("scope")).toBe("mcp:tools mcp:write")
    expect(await comeBack(booted, await visit(page.href))).toBe("authorized")
    await idle()
    expect(resultsOf(booted).match(/echo_3:/g)).toHaveLength(2)
    const opened = payloadsOf(eventsOf(log), "ask:opened")
    expect(opened).toHaveLength(2)
    expect(problemsOf(eventsOf(log), [turn])).toEqual([])
  })

  it("who declines is not asked again in this turn, and the calls fail", async () => {
    needWrite()
    const booted = await waiting()
    const { session, idle, log } = booted
    session.asks.answer(session.askStore.open[0]!.requestId, { action: "decline" })
    await idle()
    expect(resultsOf(booted).match(/needs the user's authorization/g)).toHaveLength(2)
    expect(payloadsOf(eventsOf(log), "ask:opened")).toHaveLength(2)
    expect(resultOf(eventsOf(log))).toMatchObject({ result: "Done." })
  })

  it("is no longer waited for once the turn is stopped", async () => {
    needWrite()
    const { session, stopTurn, log } = await waiting()
    expect(await stopTurn()).toBe(true)
    expect(session.askStore.open).toEqual([])
    expect(payloadsOf(eventsOf(log), "ask:settled").at(-1)).toMatchObject({ by: "interrupt" })
  })

  it("is no longer waited for after a restart", async () => {
    needWrite()
    const booted = await waiting()
    const back = await visit(askedPage(booted))
    booted.harness.crash()
    const again = { ...booted, ...booted.harness.boot() }
    expect(await comeBack(again, back)).toBe("unknown")
    await again.idle()
    expect(payloadsOf(eventsOf(again.log), "ask:settled").at(-1)).toMatchObject({ by: "interrupt" })
    expect(resultsOf(again)).toMatch(/outcome/i)
  })

  it("is no longer waited for by a call that timed out", async () => {
    needWrite()
    const base = userTokens()
    const [[name, server]] = Object.entries(base.mcpServers ?? {}) as [[string, object]]
    const timers = holdTimers(1_001)
    const booted = await waiting({ ...base, mcpServers: { [name]: { ...server, timeout: 1_001 } } } as SessionOptions)
    // The second call is made when the first one has timed out.
    await until(() => {
      timers.fire(1_001)
      return resultsOf(booted).split("did not respond within 1001 ms").length === 3
    })
    await booted.idle()
    expect(booted.session.askStore.open).toEqual([])
  })
})
