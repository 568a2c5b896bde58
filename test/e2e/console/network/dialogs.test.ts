// Dialogs and forms over a slow network, in a browser: what a person does while a request runs is neither lost nor interrupted.
import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { ownTenant } from "../../../support/browser/own-tenant.ts"
import { PerchClient } from "../../../support/server/client.ts"

const client = new PerchClient(inject("shared"))

/** Holds requests of these methods to this path until `release`; `sent` has those that arrived. */
const hold = async (page: Page, path: RegExp, method: string) => {
  const gate = Promise.withResolvers<void>()
  const sent: Array<string> = []
  await page.route(path, async (route) => {
    if (route.request().method() !== method) return route.continue()
    sent.push(route.request().url())
    await gate.promise
    return route.continue()
  })
  return { sent, release: gate.resolve }
}

it("a dialog that was cancelled while its request ran does not close the next one", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  const { sent, release } = await hold(page, /\/files\/workspace\/late\.txt$/, "PUT")
  const ask = async (item: string, title: string) => {
    await page.getByRole("button", { name: "New", exact: true }).click()
    await page.getByRole("menuitem", { name: item }).click()
    const dialog = page.getByRole("dialog", { name: title })
    await dialog.waitFor()
    return dialog
  }
  const file = await ask("File", "New file")
  await file.getByRole("textbox").fill("late.txt")
  await file.getByRole("button", { name: "Create" }).click()
  await file.getByRole("button", { name: "Creating…" }).waitFor()
  await expect.poll(() => sent.length).toBe(1)
  await file.getByRole("button", { name: "Cancel" }).click()
  const folder = await ask("Folder", "New folder")
  await folder.getByRole("textbox").fill("typed in the meantime")
  release()
  await page.getByRole("treeitem", { name: "late.txt" }).waitFor({ state: "attached" })
  expect(await folder.getByRole("textbox").inputValue()).toBe("typed in the meantime")
  await folder.getByRole("button", { name: "Create" }).click()
  await folder.waitFor({ state: "detached" })
  await page.getByRole("treeitem", { name: "typed in the meantime" }).waitFor()
})

it("a fork that was cancelled while it was made does not open its session", async () => {
  const own = await ownTenant()
  const id = await own.createSession()
  await own.query(id, "Say hello")
  const { page } = await openConsole({ at: `#/sessions/${id}/time`, apiKey: own.key })
  const { sent, release } = await hold(page, /\/fork$/, "POST")
  await page.getByRole("button", { name: "Fork from here" }).click()
  await page.getByLabel("Title").fill("Forked late")
  await page.keyboard.press("Enter")
  await expect.poll(() => sent.length).toBe(1)
  await page.keyboard.press("Escape")
  const made = page.waitForResponse(/\/fork$/)
  release()
  await (await made).finished()
  await page.getByRole("link", { name: "Forked late" }).waitFor()
  expect(await page.evaluate("location.hash")).toBe(`#/sessions/${id}/time`)
})

it("limits that are typed while others are saved stay, and a failed read can be repeated", async () => {
  const tenant = `console${crypto.randomUUID().slice(0, 8)}`
  await client.json("POST", "/v1/admin/keys", { json: { tenant, label: "one" }, status: 201 })
  const { page } = await openConsole({ at: "#/tenants" })
  const own = page.getByRole("region", { name: `Tenant ${tenant}` })
  await own.getByText("one", { exact: false }).first().waitFor()
  const json = { type: "error", error: { type: "permission_error", message: "Not for now." } }
  await page.route(/\/limits$/, (route) => route.fulfill({ status: 403, json }))
  await own.getByRole("button", { name: `Limits of ${tenant}` }).click()
  await own.getByRole("alert").filter({ hasText: "Not for now." }).waitFor()
  await page.unroute(/\/limits$/)
  await own.getByRole("button", { name: "Try again" }).click()
  const minute = own.getByLabel("Requests per minute", { exact: true })
  await minute.fill("77")
  const { sent, release } = await hold(page, /\/limits$/, "PUT")
  await own.getByRole("button", { name: "Save limits" }).click()
  await expect.poll(() => own.getByRole("button", { name: "Saving…" }).isDisabled()).toBe(true)
  await minute.press("Enter")
  await minute.fill("78")
  release()
  await own.getByText(/^Saved\./).waitFor()
  expect([sent.length, await minute.inputValue()]).toEqual([1, "78"])
  const { own: saved } = await client.json<{ own: object }>("GET", `/v1/admin/tenants/${tenant}/limits`, {})
  expect(saved).toEqual({ requests_per_minute: 77 })
})

it("erasing a recording that was erased elsewhere removes it from the list", async () => {
  const id = await client.createSession({ runtime: { mode: "record" } })
  const name = `Recording ${id}`
  const json = { session_id: id, name }
  const made = await client.json<{ id: string }>("POST", "/v1/recordings", { json, status: 201 })
  const { page } = await openConsole({ at: "#/recordings" })
  const row = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) })
  await row.getByRole("button", { name: "Erase" }).click()
  await client.json("DELETE", `/v1/recordings/${made.id}`, { status: 200 })
  await page.getByRole("button", { name: "Erase for good" }).click()
  await row.waitFor({ state: "detached" })
})

it("a chosen mode is shown while it is saved, and a late answer does not bring it back over a newer one", async () => {
  const id = await client.createSession()
  const path = `/v1/sessions/${id}`
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const [sent, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(new RegExp(`/v1/sessions/${id}$`), async (route) => {
    if (route.request().method() !== "PATCH") return route.continue()
    await sent.promise
    const response = await route.fetch()
    await answered.promise
    return route.fulfill({ response })
  })
  const mode = page.getByRole("combobox", { name: "Mode", exact: true })
  await mode.selectOption("acceptEdits")
  await expect.poll(() => mode.isDisabled()).toBe(true)
  await expect.poll(() => mode.inputValue()).toBe("acceptEdits")
  sent.resolve()
  await expect.poll(() => client.json("GET", path)).toMatchObject({ permissionMode: "acceptEdits" })
  const reread = page.waitForResponse(async (response) => {
    if (response.request().method() !== "GET" || !response.url().endsWith(path)) return false
    return ((await response.json()) as { readonly permissionMode: string }).permissionMode === "plan"
  })
  await client.json("PATCH", path, { json: { permissionMode: "plan" } })
  await reread
  const finished = page.waitForEvent("requestfinished", (request) => request.method() === "PATCH")
  answered.resolve()
  await finished
  await expect.poll(() => mode.isEnabled()).toBe(true)
  await expect.poll(() => mode.inputValue()).toBe("plan")
})
