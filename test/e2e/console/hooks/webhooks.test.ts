// The tab "Webhooks" in a browser: a webhook from its creation to its deletion, what its receiver refuses, and its secrets.
import { randomBytes } from "node:crypto"
import { expect, inject, it, onTestFinished } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { eventually, PerchClient } from "../../../support/server/client.ts"
import { startHookServer } from "../../../support/server/hook-server.ts"
import { verifierOf } from "../../../support/server/webhook-verifier.ts"

const shared = inject("shared")
const root = new PerchClient(shared)

/** A key of a new tenant that may create webhooks. */
const tenantKey = async (): Promise<string> => {
  const tenant = `console-hooks-${randomBytes(4).toString("hex")}`
  const json = { tenant, scopes: ["sessions:read", "sessions:write", "admin"] }
  return (await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })).key
}

it("creates a webhook, sends it a test event, shows the delivery, disables and deletes it", async () => {
  const receiver = await startHookServer()
  onTestFinished(() => receiver.close())
  const apiKey = await tenantKey()
  const { page } = await openConsole({ at: "#/hooks/webhooks", apiKey, width: 390 })
  await page.getByText("No webhook.").waitFor()
  await page.getByRole("button", { name: "New webhook…" }).click()
  const form = page.getByRole("dialog", { name: "New webhook" })
  const create = form.getByRole("button", { name: "Create" })
  await form.getByLabel("Address").fill("http://10.0.0.1/hook")
  await create.click()
  // After the server's refusal the typed text is still there.
  await form.getByRole("alert").filter({ hasText: "url" }).waitFor()
  await form.getByLabel("Address").fill(`${receiver.url}/hook?token=canary`)
  await form.getByLabel("Description").fill("word".repeat(50))
  await create.click()
  const secret = page.getByRole("status", { name: "New secret" })
  expect(await secret.locator("code").textContent()).toMatch(/^whsec_/)
  await secret.getByRole("button", { name: "Done" }).click()
  const webhook = page.getByRole("listitem", { name: `${receiver.url}/hook?***` })
  expect(await page.getByRole("main").evaluate(({ scrollWidth }) => scrollWidth)).toBe(390)
  await webhook.getByRole("button", { name: "Send a test event" }).click()
  const delivery = webhook.getByRole("listitem").filter({ hasText: "webhook:test" })
  await delivery.getByText("1 attempt, status 200").waitFor()
  expect(receiver.deliveries.map(({ input }) => input["type"])).toEqual(["webhook:test"])
  await delivery.getByRole("button", { name: "Redeliver" }).click()
  await eventually(async () => receiver.deliveries.length > 1 || undefined)
  await webhook.getByRole("button", { name: "Disable" }).click()
  await webhook.getByText("off: it was disabled").waitFor()
  await webhook.getByRole("button", { name: "Delete…" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click()
  await page.getByText("No webhook.").waitFor()
})

it("shows a delivery that was given up, sends it again to the webhook's new address, and signs with a rolled secret", async () => {
  const receiver = await startHookServer()
  onTestFinished(() => receiver.close())
  receiver.answer = () => ({ status: 410 })
  const apiKey = await tenantKey()
  const json = { url: `${receiver.url}/gone`, events: ["sdk:result/*"], description: "First." }
  const made = await root.withKey(apiKey).json<{ secret: string }>("POST", "/v1/webhooks", { json, status: 201 })
  const { page } = await openConsole({ at: "#/hooks/webhooks", apiKey })
  const webhook = page.getByRole("region", { name: "Webhooks" }).locator(".webhook")
  const button = (name: string) => webhook.getByRole("button", { name, exact: true })
  await button("Send a test event").click()
  const delivery = webhook.locator(".delivery")
  await delivery.getByText("1 attempt, status 410").waitFor()
  // The list shows the effect of the attempt on the webhook.
  await webhook.getByText("off: its address answered 410").waitFor()
  await expect.poll(() => button("Send a test event").isEnabled()).toBe(false)
  await delivery.getByRole("button", { name: "Redeliver" }).click()
  await delivery.getByRole("alert").filter({ hasText: "disabled" }).waitFor()

  receiver.answer = () => ({})
  await button("Edit…").click()
  const form = page.getByRole("dialog", { name: "Edit the webhook" })
  await form.getByLabel("Address").fill(`${receiver.url}/moved`)
  await form.getByLabel(/^Patterns/).fill("ask:opened")
  await form.getByLabel("Description").fill("Second.")
  await form.getByRole("button", { name: "Save" }).click()
  await webhook.getByRole("heading", { name: `${receiver.url}/moved` }).waitFor()
  await webhook.getByText("Second.").waitFor()
  const patterns = webhook.getByRole("group", { name: "Patterns" }).locator("code")
  await expect.poll(() => patterns.allTextContents()).toEqual(["ask:opened"])
  await button("Enable").click()
  await webhook.getByText("on", { exact: true }).waitFor()
  await webhook.getByLabel("State").selectOption("Failed")
  await delivery.getByRole("button", { name: "Redeliver" }).click()
  const [first, again] = await eventually(async () =>
    receiver.deliveries.length > 1 ? receiver.deliveries : undefined,
  )
  expect([first?.path, again?.path]).toEqual(["/gone", "/moved"])
  expect(again?.headers["webhook-id"]).toBe(first?.headers["webhook-id"])
  // It is no longer listed as failed.
  await webhook.getByText("No delivery.").waitFor()
  await webhook.getByLabel("State").selectOption("Delivered")
  await delivery.getByText("2 attempts, status 200").waitFor()

  await page.setViewportSize({ width: 1280, height: 200 })
  await button("New secret…").click()
  const roll = page.getByRole("dialog", { name: "New secret of the webhook" })
  await roll.getByLabel("The previous secret keeps signing").selectOption("Not at all")
  await roll.getByRole("button", { name: "Make a new secret" }).click()
  const shown = page.getByRole("status", { name: "New secret" })
  const secret = (await shown.locator("code").textContent()) ?? ""
  // Although the button that has the focus again is further down.
  await roll.waitFor({ state: "detached" })
  await expect.poll(async () => (await shown.boundingBox())!.y).toBeGreaterThanOrEqual(-1)
  await button("Send a test event").click()
  const signed = await eventually(async () => receiver.deliveries[2])
  const verify = await verifierOf("node")
  verify(secret, signed.headers, signed.body)
  expect(() => verify(made.secret, signed.headers, signed.body)).toThrow("signature")
})

it("a list that arrives late keeps its state, and what was created or deleted in the meantime", async () => {
  const apiKey = await tenantKey()
  const json = { url: "https://example.com/first", events: ["ask:opened"] }
  await root.withKey(apiKey).json("POST", "/v1/webhooks", { json, status: 201 })
  const { page } = await openConsole({ apiKey })
  const created = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  const deleted = Promise.withResolvers<void>()
  await page.route("**/v1/webhooks", async (route) => {
    if (route.request().method() !== "GET") return route.continue()
    await created.promise
    const response = await route.fetch()
    read.resolve()
    await deleted.promise
    return route.fulfill({ response })
  })
  await page.evaluate('location.hash = "#/hooks/webhooks"')
  const list = page.getByRole("region", { name: "Webhooks" })
  for (const name of ["second", "third"]) {
    await page.getByRole("button", { name: "New webhook…" }).click()
    await page.getByLabel("Address").fill(`https://example.com/${name}`)
    await page.getByRole("button", { name: "Create" }).click()
    await list.getByRole("listitem", { name }).waitFor()
  }
  created.resolve()
  await read.promise
  expect(await list.getAttribute("aria-busy")).toBe("true")
  expect(await list.getByText("Loading…").count()).toBe(1)
  const second = list.getByRole("listitem", { name: "second" })
  await second.getByRole("button", { name: "Delete…" }).click()
  await page.getByRole("button", { name: "Delete for good" }).click()
  await second.waitFor({ state: "detached" })
  deleted.resolve()
  await list.getByRole("listitem", { name: "first" }).waitFor()
  await expect.poll(() => list.getAttribute("aria-busy")).toBe("false")
  const names = () => list.locator(".webhook h2").allTextContents()
  await expect.poll(names).toEqual(["https://example.com/first", "https://example.com/third"])
})
