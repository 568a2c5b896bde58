// Times in a browser whose clock is wrong: they are those of the server.
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { ownTenant } from "../../../support/browser/own-tenant.ts"
import { eventually } from "../../../support/server/client.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)

const DAY_MS = 86_400_000

it.each([DAY_MS, -DAY_MS])(
  "asks, sessions and costs have the server's times if the clock is wrong by %i ms",
  async (ms) => {
    const script = scriptName("clock")
    await api.set(script, [{ content: [call("Bash", { command: "touch /srv/a" })] }, textAnswer("Done.")])
    const client = await ownTenant()
    const title = `Clock ${crypto.randomUUID()}`
    const { id } = await client.json<{ id: string }>("POST", "/v1/sessions", { json: { title }, status: 201 })
    await client.submit(id, promptFor(script))
    await eventually(async () => (await client.asks(id))[0])
    // A deployment's responses have a date; those of the local server have none.
    const { page } = await openConsole({ apiKey: client.key })
    await page.route(/\/v1\/(?!.*\/stream)/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, headers: { ...response.headers(), date: new Date().toUTCString() } })
    })
    await page.addInitScript(`{
    const Right = Date
    globalThis.Date = class extends Right {
      constructor(...values) {
        super(...(values.length === 0 ? [Right.now() + ${ms}] : values))
      }
      static now() {
        return Right.now() + ${ms}
      }
    }
  }`)
    await page.evaluate(`location.hash = "#/sessions/${id}"`)
    await page.reload()
    await page.getByRole("article", { name: "Allow Bash?" }).getByText("expires in 24 h").waitFor()
    const row = page.getByRole("navigation", { name: "Sessions" }).getByRole("link").filter({ hasText: title })
    await expect.poll(() => row.locator("time").innerText()).toMatch(/^now$|min/)
    const day = (time: number) => new Date(time).toISOString().slice(0, 10)
    const path = `/v1/costs?from=${day(Date.now())}&to=${day(Date.now() + DAY_MS)}&limit=1000`
    await eventually(async () => {
      const { data } = await client.json<{ data: ReadonlyArray<{ session_id: string }> }>("GET", path, {})
      return data.some((cost) => cost.session_id === id) || undefined
    })
    await page.evaluate(`location.hash = "#/costs"`)
    await page
      .getByRole("table", { name: /^By day/ })
      .getByText(day(Date.now()))
      .waitFor()
  },
)
