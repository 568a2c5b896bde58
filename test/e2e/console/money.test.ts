// The screens "Costs" in a browser: what a session and its tenant spent, and budgets and limits with their usage.
import { randomBytes } from "node:crypto"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)

/** D1 has the facts of a turn some seconds after its end. */
const LATE = { timeout: 20_000 }

it("shows what turns cost, for the session and for the tenant", async () => {
  const from = new Date().toISOString()
  const id = await client.createSession({ maxBudgetUsd: 5 })
  await client.query(id, "Say hello")
  await client.query(id, "Say hello again")
  const { page } = await openConsole({ at: `#/sessions/${id}/costs`, colorScheme: "dark" })
  const spent = await client.json<{ total_cost_usd: number }>("GET", `/v1/sessions/${id}`)
  const budget = page.getByRole("meter", { name: "Budget of the session" })
  await expect.poll(async () => Number(await budget.getAttribute("value"))).toBeCloseTo(spent.total_cost_usd)
  await expect.poll(() => budget.getAttribute("aria-valuetext")).toMatch(/^\$0\.\d+ of \$5\.00$/)
  const turns = page.getByRole("table", { name: "By turn" })
  await turns.getByRole("rowheader", { name: /^2 · / }).waitFor()
  await page.getByRole("img", { name: /^Cost per turn/ }).waitFor()
  // Only its own costs: those of other tests' sessions are higher, and the list has the most expensive ones.
  await page.route(/\/v1\/costs\?/, async (route) => {
    const response = await route.fetch()
    const { data, ...sums }: { data: ReadonlyArray<{ session_id: string }> } = await response.json()
    return route.fulfill({ response, json: { ...sums, data: data.filter((row) => row.session_id === id) } })
  })
  const inD1 = () =>
    client.json<{ data: ReadonlyArray<{ session_id: string }> }>("GET", `/v1/costs?from=${from}&limit=1000`)
  await expect.poll(async () => (await inD1()).data.map((row) => row.session_id), LATE).toContain(id)
  await page.goto(`${shared.url}/#/costs`)
  await page.getByRole("heading", { name: "Costs" }).waitFor()
  await page.getByRole("table", { name: "By model" }).waitFor()
  const session = page.getByRole("table", { name: /^By session/ }).locator(`a[href="#/sessions/${id}/costs"]`)
  await expect.poll(() => session.textContent()).toBe("Say hello")
  await page.getByRole("img", { name: /^Cache hit rate per day/ }).waitFor()
})

it("turns are numbered as in their session, also where only the newest are read", async () => {
  const id = await client.createSession()
  await client.query(id, "Say hello")
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const { data } = await client.json<{ data: ReadonlyArray<object> }>("GET", `/v1/sessions/${id}/turns`)
  // As of a session of 520 turns: pages of a hundred of them, the newest first.
  await page.route(/\/turns\?limit=100/, (route) => {
    const turns = Array.from({ length: 100 }, () => ({ ...data[0], turn_id: crypto.randomUUID() }))
    return route.fulfill({ json: { data: turns, next_cursor: "older" } })
  })
  await page.route(new RegExp(`/v1/sessions/${id}$`), async (route) => {
    const response = await route.fetch()
    return route.fulfill({ response, json: { ...(await response.json()), turns: 520 } })
  })
  await page.evaluate(`location.hash = "#/sessions/${id}/costs"`)
  await page.getByText("The newest 500 turns are shown.").waitFor()
  const table = page.getByRole("table", { name: "By turn" })
  const rows = table.getByRole("rowheader")
  await expect.poll(() => rows.first().innerText()).toMatch(/^520 · /)
  // Not all of them at once, and none of the charts' numbers, which are not visible.
  expect(await page.locator("tbody th").count()).toBeLessThan(150)
  const more = page.getByRole("button", { name: "Show more of 500 turns" })
  for (let shown = 100; shown < 500; shown += 100) {
    await more.click()
    await rows.nth(shown).waitFor()
  }
  await more.waitFor({ state: "detached" })
  await expect.poll(() => rows.last().innerText()).toMatch(/^21 · /)
  await page.getByText("Numbers", { exact: true }).first().click()
  const numbers = page.getByRole("group", { name: "Cost per turn: numbers" }).getByRole("rowheader")
  await expect.poll(() => numbers.count()).toBe(500)
})

it("stops reading a session's costs when the screen is left", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByRole("textbox", { name: "Prompt" }).waitFor()
  const held: Array<string> = []
  await page.route(/\/(cost|turns\?limit=100)$/, (route) => void held.push(route.request().url()))
  const stopped = new Set<string>()
  page.on("requestfailed", (request) => stopped.add(request.url()))
  await page.evaluate(`location.hash = "#/sessions/${id}/costs"`)
  await expect.poll(() => held.length).toBe(2)
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  await expect.poll(() => held.every((url) => stopped.has(url))).toBe(true)
})

it("shows that a budget is used up, at the prompts and at the costs", async () => {
  const id = await client.createSession({ maxBudgetUsd: 0.000001 })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const prompt = page.getByRole("textbox", { name: "Prompt" })
  await prompt.fill("Say hello")
  await prompt.press("Enter")
  const end = page.getByRole("status").filter({ hasText: "its budget is used up" })
  await end.waitFor()
  await expect.poll(() => end.textContent()).toContain("Reached maximum budget ($0.000001).")
  const infoOf = () => client.json<{ turns: number; total_cost_usd: number }>("GET", `/v1/sessions/${id}`)
  const before = await infoOf()
  await prompt.fill("And now?")
  await prompt.press("Enter")
  await expect.poll(async () => (await infoOf()).turns).toBe(2)
  expect((await infoOf()).total_cost_usd).toBe(before.total_cost_usd)
  await end.getByRole("link", { name: "Costs" }).click()
  const spent = page.getByText("used up", { exact: true })
  await spent.waitFor()
  const budget = page.getByLabel("Budget in USD")
  await budget.fill("much")
  await budget.press("Enter")
  await page.getByRole("alert").filter({ hasText: "Got much." }).waitFor()
  await budget.fill("5")
  await budget.press("Enter")
  await spent.waitFor({ state: "detached" })
  const messages = await client.query(id, "Say hello")
  expect(messages.at(-1)).toMatchObject({ subtype: "success" })
  await page.getByRole("button", { name: "Remove the budget" }).click()
  await page.getByText("This session has no budget").waitFor()
  await expect.poll(() => budget.inputValue()).toBe("")
  const { options } = await client.json<{ options: object }>("GET", `/v1/sessions/${id}`)
  expect(options).not.toHaveProperty("maxBudgetUsd")
  await expect.poll(() => page.getByRole("button", { name: "Remove the budget" }).count()).toBe(0)
})

it("shows the tenant's limits as bars with their usage, and reads them again", async () => {
  const tenant = `console-money-${randomBytes(4).toString("hex")}`
  const limits = { open_sessions: 2, running_turns: 5, requests_per_minute: 500 }
  await client.json("PUT", `/v1/admin/tenants/${tenant}/limits`, { json: limits })
  const json = { tenant, scopes: ["sessions:read", "sessions:write", "admin"] }
  const { key: apiKey } = await client.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  const own = client.withKey(apiKey)
  const script = scriptName("money")
  await new ApiLog(shared.apiUrl).set(script, [{ content: [text("Never shown.")], hold: {} }])
  const id = await own.createSession({})
  await own.submit(id, promptFor(script))
  const { page } = await openConsole({ at: "#/costs", apiKey })
  const bars = page.getByRole("region", { name: "Limits of the tenant" })
  const valueOf = (name: string) => bars.getByRole("meter", { name }).getAttribute("aria-valuetext")
  const refreshed = async (name: string) => {
    await page.getByRole("button", { name: "Refresh" }).click()
    return valueOf(name)
  }
  await expect.poll(() => refreshed("Turns at once")).toBe("1 of 5")
  expect(await valueOf("Sessions")).toBe("1 of 2")
  expect(await valueOf("Workflow runs at once")).toBe("0 of 1,000")
  expect(await valueOf("Requests of this key, this minute")).toMatch(/^\d+ of 500$/)
  await own.createSession({})
  await own.json("POST", `/v1/sessions/${id}/interrupt`)
  await expect.poll(() => refreshed("Turns at once")).toBe("0 of 5")
  await bars.getByText("2 of 2 used up").waitFor()
  await bars.getByText("All limits").click()
  await bars.getByRole("row", { name: "Sessions own 2" }).waitFor()
})
