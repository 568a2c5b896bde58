// The page "Tenants": a key is created, shown once, rolled and revoked; limits are changed; all of it applies to requests.
import type { Locator } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"

const shared = inject("shared")
const client = new PerchClient(shared)

const statusOf = async (key: string): Promise<number> => {
  const response = await fetch(`${shared.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  await response.body?.cancel()
  return response.status
}

it("creates a key, rolls it and revokes it, and changes a limit", async () => {
  const tenant = `console${crypto.randomUUID().slice(0, 8)}`
  const { page } = await openConsole({ at: "#/tenants" })
  const made = page.getByRole("status", { name: "New key" })
  const own = page.getByRole("region", { name: `Tenant ${tenant}` })
  await page.getByText("Create an API key").click()
  await page.getByLabel("Tenant", { exact: true }).fill("No Tenant")
  await page.getByRole("button", { name: "Create key" }).click()
  const refused = page.getByRole("alert").filter({ hasText: "expected 1 to 40 of a-z" })
  // The button that reloads the list does not create the key again, and is not labelled so.
  await refused.getByRole("button", { name: "Reload keys" }).click()
  await refused.waitFor({ state: "detached" })
  await page.getByLabel("Tenant", { exact: true }).fill(tenant)
  await page.getByLabel("Label").fill("first")
  await page.getByRole("button", { name: "Create key" }).click()
  const first = (await made.locator("code").textContent()) ?? ""
  expect(await statusOf(first)).toBe(200)
  await made.getByRole("button", { name: "Done" }).click()
  await made.waitFor({ state: "detached" })
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main")
  expect(await page.content()).not.toContain(first)

  await own.getByRole("button", { name: "Roll first" }).click()
  await made.locator("code").waitFor()
  const second = (await made.locator("code").textContent()) ?? ""
  expect(second).not.toBe(first)
  await own.getByText("active, as is its previous secret").waitFor()
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])

  await own.getByRole("button", { name: "Revoke first" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
  await own.getByRole("button", { name: "Revoke first" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click()
  await own.getByText("revoked", { exact: true }).waitFor()
  await expect.poll(() => statusOf(second)).toBe(401)

  await own.getByRole("button", { name: `Limits of ${tenant}` }).click()
  const limit = own.getByLabel("Requests per minute", { exact: true })
  await limit.fill("many")
  await own.getByRole("button", { name: "Save limits" }).click()
  await own.getByRole("alert").filter({ hasText: "Requests per minute must be a whole number" }).waitFor()
  await limit.fill("77")
  await own.getByRole("button", { name: "Save limits" }).click()
  await own.getByText(/^Saved\./).waitFor()
  const limits = await client.json<{ own: object }>("GET", `/v1/admin/tenants/${tenant}/limits`, {})
  expect(limits.own).toEqual({ requests_per_minute: 77 })
})

it("a low screen shows why a key was not created, and the secret of a key that was rolled; a wrong limit has the focus", async () => {
  const tenant = `low${crypto.randomUUID().slice(0, 8)}`
  await client.json("POST", "/v1/admin/keys", { json: { tenant }, status: 201 })
  const { page } = await openConsole({ at: "#/tenants", width: 390, height: 360 })
  await page.getByText("Create an API key").click()
  await page.getByLabel("Tenant", { exact: true }).fill("No Tenant")
  await page.getByRole("button", { name: "Create key" }).click()
  const refused = page.getByRole("alert").filter({ hasText: "expected 1 to 40 of a-z" })
  await refused.waitFor()
  const yOf = async (element: Locator) => (await element.boundingBox())!.y
  const isInView = (element: Locator) =>
    expect.poll(async () => (await yOf(element)) - (await yOf(page.getByRole("main")))).toBeGreaterThanOrEqual(-1)
  await isInView(refused)
  await page.getByRole("button", { name: `Limits of ${tenant}` }).click()
  const limit = page.getByLabel("Turns at once", { exact: true })
  await limit.fill("many")
  await page.getByRole("button", { name: "Save limits" }).click()
  await page
    .getByRole("alert")
    .filter({ hasText: "Turns at once must be a whole number of at least 0. Got many." })
    .waitFor()
  expect(await limit.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true)
  await page
    .getByRole("region", { name: `Tenant ${tenant}` })
    .getByRole("button", { name: /^Roll / })
    .click()
  await isInView(page.getByRole("status", { name: "New key" }))
})

it("a key whose creation is repeated after its response was lost is created once", async () => {
  const tenant = `console${crypto.randomUUID().slice(0, 8)}`
  const { page } = await openConsole({ at: "#/tenants" })
  const own = page.getByRole("region", { name: `Tenant ${tenant}` })
  const made = page.getByRole("status", { name: "New key" })
  let sent = 0
  await page.route("**/v1/admin/keys", async (route) => {
    if (route.request().method() !== "POST") return route.continue()
    sent += 1
    const response = await route.fetch()
    // The key was created, and the page gets the error of a proxy that the client does not retry.
    return sent === 1 ? route.fulfill({ status: 403, json: {} }) : route.fulfill({ response })
  })
  await page.getByText("Create an API key").click()
  await page.getByLabel("Tenant", { exact: true }).fill(tenant)
  await page.getByRole("button", { name: "Create key" }).click()
  await page.getByRole("alert").first().waitFor()
  await page.getByRole("button", { name: "Create key" }).click()
  expect(await statusOf((await made.locator("code").textContent()) ?? "")).toBe(200)
  await expect.poll(() => own.getByRole("row").count()).toBe(2)
  expect(sent).toBe(2)
  // The next one is another key, and the only other one.
  await page.getByRole("button", { name: "Create key" }).click()
  await expect.poll(() => own.getByRole("row").count()).toBe(3)
})

it("a key that expires today works until then, and one that the browser refuses to copy is shown as not copied", async () => {
  const tenant = `console${crypto.randomUUID().slice(0, 8)}`
  const { page } = await openConsole({ at: "#/tenants" })
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
  await page.getByText("Create an API key").click()
  await page.getByLabel("Tenant", { exact: true }).fill(tenant)
  const now = new Date()
  const day = `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, "0")}-${String(now.getDate()).padStart(2, "0")}`
  await page.getByLabel("Works until").fill(day)
  await page.getByRole("button", { name: "Create key" }).click()
  const made = page.getByRole("status", { name: "New key" })
  expect(await statusOf((await made.locator("code").textContent()) ?? "")).toBe(200)
  await made.getByRole("button", { name: "Copy the key" }).click()
  await made.getByText("Not copied").waitFor()
})
