// What a person has begun on the page when the sign-in ends: asked about when they leave, kept when the server refuses their key.
import { randomBytes } from "node:crypto"
import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"

const shared = inject("shared")
const client = new PerchClient(shared)

interface Key {
  readonly id: string
  readonly key: string
}

const newKey = (tenant: string) => client.json<Key>("POST", "/v1/admin/keys", { json: { tenant }, status: 201 })

const newTenant = () => `signout-${randomBytes(4).toString("hex")}`
const prompt = (page: Page) => page.getByRole("textbox", { name: "Prompt" })
const task = (page: Page) => page.getByLabel("What should be done?")
const file = (name: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(name) })

const signIn = async (page: Page, key: string) => {
  await page.getByLabel("API key").fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("link", { name: "New session" }).waitFor()
}

it("asks before a sign-out drops what was written, and leaves none of it to who comes next", async () => {
  const { key } = await newKey(newTenant())
  const { page } = await openConsole({ apiKey: null })
  await signIn(page, key)
  await task(page).fill("for no other eyes")
  await page.getByLabel("Files to attach").setInputFiles([file("plan.csv")])
  const signOut = page.getByRole("button", { name: "Sign out", exact: true })
  await signOut.click()
  const dialog = page.getByRole("dialog", { name: "Sign out?" })
  await dialog.getByText("prompts that are not sent, files attached to a new session").waitFor()
  await dialog.getByRole("button", { name: "Cancel" }).click()
  expect(await task(page).inputValue()).toBe("for no other eyes")
  await signOut.click()
  await dialog.getByRole("button", { name: "Sign out" }).click()
  await page.getByLabel("API key").waitFor()
  expect(await page.evaluate("sessionStorage.length")).toBe(0)
  await signIn(page, (await newKey(newTenant())).key)
  expect(await task(page).inputValue()).toBe("")
  expect(await page.getByText("plan.csv").count()).toBe(0)
})

it("a prompt that waits for the network is not sent behind a sign-out", async () => {
  const { key } = await newKey(newTenant())
  const own = client.withKey(key)
  const id = await own.createSession()
  const { page } = await openConsole({ apiKey: null, at: `#/sessions/${id}` })
  await signIn(page, key)
  await page.getByText("live", { exact: true }).waitFor()
  const tried: Array<string> = []
  await page.route("**/query", (route) => {
    tried.push(route.request().url())
    return route.abort("connectionfailed")
  })
  await prompt(page).fill("later")
  await prompt(page).press("Enter")
  await page.getByRole("region", { name: "Prompts that are not accepted yet" }).waitFor()
  await expect.poll(() => tried.length).toBeGreaterThan(0)
  await page.getByRole("button", { name: "Sign out", exact: true }).click()
  const dialog = page.getByRole("dialog", { name: "Sign out?" })
  await dialog.getByRole("button", { name: "Sign out" }).click()
  await page.getByLabel("API key").waitFor()
  await page.unroute("**/query")
  await signIn(page, key)
  await page.getByText("live", { exact: true }).waitFor()
  expect(await page.getByRole("region", { name: "Prompts that are not accepted yet" }).count()).toBe(0)
  expect((await own.json<{ turns: number }>("GET", `/v1/sessions/${id}`)).turns).toBe(0)
})

it("a key that is revoked takes nothing from what was begun, for the next key of the tenant alone", async () => {
  const tenant = newTenant()
  const first = await newKey(tenant)
  const id = await client.withKey(first.key).createSession()
  const { page } = await openConsole({ apiKey: null, at: `#/sessions/${id}` })
  await signIn(page, first.key)
  await prompt(page).fill("half a sentence")
  await page.getByLabel("Files to attach").setInputFiles([file("kept.csv")])
  await client.request("DELETE", `/v1/admin/keys/${first.id}`)
  // The list of sessions is read again every few seconds.
  await page.getByRole("alert").filter({ hasText: "key" }).waitFor()
  await signIn(page, (await newKey(tenant)).key)
  await page.getByText("live", { exact: true }).waitFor()
  await expect.poll(() => prompt(page).inputValue()).toBe("half a sentence")
  await page.getByText("kept.csv").waitFor()
})

it("what was begun with a key that was revoked is not shown to another tenant, also after a reload", async () => {
  const first = await newKey(newTenant())
  const { page } = await openConsole({ apiKey: null })
  await signIn(page, first.key)
  await task(page).fill("for no other eyes")
  await client.request("DELETE", `/v1/admin/keys/${first.id}`)
  // The list of sessions is read again every few seconds.
  await page.getByRole("alert").filter({ hasText: "key" }).waitFor()
  await page.reload()
  await signIn(page, (await newKey(newTenant())).key)
  await page.getByRole("link", { name: "New session" }).click()
  expect(await task(page).inputValue()).toBe("")
})
