// curl in the shell through the whole loop: when it is there, and which hosts it reaches.
import { describe, expect, it } from "vitest"
import { call } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, loop, toolResultsOf } from "../../support/session/loop.ts"
import { pageServer } from "../../support/server/page-server.ts"

const opened = loop()
const { finish, scripted, harnessOf } = opened
const pages = pageServer()

describe("curl in the shell", () => {
  const bash = (command: string) => ({ content: [call("Bash", { command })] })

  it("is not there unless the session allows it", async () => {
    const { events } = await finish([bash(`curl -s ${pages.origin}/data`), DONE], {}, BYPASS)
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true, content: expect.stringContaining("curl") })
    expect(pages.asked).toEqual([])
  })

  it("fetches through the same guard where it does", async () => {
    const options = { ...BYPASS, shell_network: true }
    const script = `curl -s ${pages.origin}/data | jq .birds; curl -s http://169.254.169.254/x; curl -sL ${pages.origin}/moved`
    const { events } = await finish([bash(script), DONE], {}, options)
    expect(pages.asked).toEqual(["GET /data", "GET /moved"])
    expect(String(toolResultsOf(events())[0]?.content)).toMatch(/^(?:Exit code \d+\n)?3\b/)
  })

  it("reaches no host that a WebFetch rule denies", async () => {
    const options = { ...BYPASS, shell_network: true, disallowedTools: ["WebFetch(domain:127.0.0.1)"] }
    const { events } = await finish([bash(`curl -sS ${pages.origin}/data`), DONE], {}, options)
    expect(pages.asked).toEqual([])
    expect(toolResultsOf(events())[0]).toMatchObject({ content: expect.stringContaining("permission rule") })
  })

  it("is not run again after a crash", async () => {
    const harness = harnessOf({ ...BYPASS, shell_network: true })
    const script = scripted([bash(`echo hi > f; curl -s ${pages.origin}/data`), DONE])
    const first = harness.boot()
    harness.onCommit = () => {
      if (harness.twin.sql.exec("SELECT 1 FROM tool_runs").toArray().length > 0) harness.crash()
    }
    prompt(first.session, `[[script:${script}]] go`)
    await first.idle()
    harness.onCommit = () => undefined
    const again = harness.boot()
    await again.idle()
    const events = [...again.log.all()].map(({ event }) => event)
    expect(toolResultsOf(events)[0]).toMatchObject({ is_error: true, content: expect.stringContaining("unknown") })
    expect(again.workspace.exists("/workspace/f")).toBe(false)
  })
})
