// One session and one server with every feature at once: OAuth, thirty tools, one with an unusable schema, one that hangs, one
// that returns 5 MB, one that elicits. Meanwhile it loses its sessions, and changes its tools and its tokens.
import { describe, expect, it } from "vitest"
import { CLIENT } from "../../support/mcp/oauth-server.ts"
import { PLAIN_TOOLS } from "../../support/server/mcp-server.ts"
import { behindOAuth } from "../../support/mcp/behind-oauth.ts"
import { DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { holdTimers } from "../../support/values/held-timers.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, scripted } = loop()
const behind = behindOAuth()

/** A time limit that no other timer has: it is over when the test fires it. */
const LIMIT_MS = 5_001
const SIGN_IN = { grant: "client_credentials", clientId: CLIENT.id, clientSecret: CLIENT.secret }

interface Status {
  readonly response: {
    readonly mcpServers: ReadonlyArray<{
      readonly status: string
      readonly tools?: ReadonlyArray<{ readonly name: string }>
      readonly rejected_tools?: ReadonlyArray<object>
    }>
  }
}

describe.each(["http", "sse"] as const)("a whole server of type %s", (type) => {
  it("works in turn after turn, whatever the server does", async () => {
    const { server, oauth } = behind
    const timers = holdTimers(LIMIT_MS)
    const { mcpServers, ...options } = behind.far(SIGN_IN, {}, type)
    const [far] = Object.values(mcpServers ?? {})
    const limited = { ...options, mcpServers: { far: { ...far, timeout: LIMIT_MS } } } as typeof options
    const { client, session, idle, log } = await connected({}, limited)
    const tool = (name: string, input: object = {}) => call(`mcp__far__${name}`, { ...input })
    const turn = (...calls: ReadonlyArray<ReturnType<typeof call>>) =>
      prompt(session, promptFor(scripted([...calls.map((one) => ({ content: [one] })), DONE])))
    const results = () => toolResultsOf(eventsOf(log)).map((result) => JSON.stringify(result))

    const first = turn(tool(`echo_${PLAIN_TOOLS - 1}`, { text: "hi" }), tool("large"), tool("hang"), tool("ask"))
    await server.hanging
    timers.fire(LIMIT_MS)
    await until(() => client.asked("elicitation").length === 1)
    client.answer(client.asked("elicitation")[0]!.id, { action: "accept", content: { colour: "red" } })
    await idle()
    const [echo, large, hang, asked] = results()
    expect(echo).toContain("echo_29:")
    expect(large).toContain("<persisted-output>")
    expect(large!.length).toBeLessThan(10_000)
    expect(hang).toContain(`did not respond within ${LIMIT_MS} ms`)
    expect(asked).toContain("red")
    const status = (await client.request("mcp_status")) as unknown as Status // the answer to mcp_status
    const [found] = status.response.mcpServers
    expect(found).toMatchObject({
      status: "connected",
      rejected_tools: [{ name: "unsupported" }],
    })
    expect(found?.tools?.filter(({ name }) => name.startsWith("echo_"))).toHaveLength(PLAIN_TOOLS)

    // The server forgets its sessions, and revokes its tokens.
    await server.forget()
    oauth.revoke()
    const second = turn(tool("echo_1", { text: "again" }))
    await idle()
    expect(results().at(-1)).toContain("again")
    expect(oauth.tokenRequests.length).toBeGreaterThan(1)

    // Its list of tools changes during a turn, and the next turn has the new one.
    const before = server.streams()
    const third = turn(tool("ask"))
    if (type === "http") await until(() => server.streams() > before)
    await until(() => client.asked("elicitation").length === 2)
    await server.addTool("late")
    client.answer(client.asked("elicitation")[1]!.id, { action: "decline" })
    await idle()
    const fourth = turn(tool("late", { text: "there" }))
    await idle()
    expect(results().at(-1)).toContain("late:")

    // Its connections break.
    const fifth = turn(tool("ask"))
    await until(() => client.asked("elicitation").length === 3)
    server.cut()
    await idle()
    expect(results().at(-1)).toContain("was lost")
    const sixth = turn(tool("echo_2", { text: "back" }))
    await idle()
    expect(results().at(-1)).toContain("back")
    expect(problemsOf(eventsOf(log), [first, second, third, fourth, fifth, sixth])).toEqual([])
    const shown = JSON.stringify([payloadsOf(eventsOf(log), "sdk:system/init"), status])
    for (const secret of [CLIENT.secret, ...oauth.given]) expect(shown).not.toContain(secret)
  })
})
