// Requests whose responses are lost, in a browser: a person who repeats one gets what the first one has made, and nothing twice.
import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { ownTenant } from "../../../support/browser/own-tenant.ts"
import { PerchClient } from "../../../support/server/client.ts"

const client = new PerchClient(inject("shared"))

/** Sends requests to this path to the server, but loses their responses until the returned function is called. */
const loseResponses = async (page: Page, path: RegExp) => {
  let isLost = true
  await page.route(path, async (route) => {
    if (!isLost || route.request().method() !== "POST") return route.fallback()
    await route.fetch()
    await route.abort()
  })
  return () => {
    isLost = false
  }
}

const unreachable = (page: Page) => page.getByRole("alert").filter({ hasText: "cannot be reached" })

it("a fork that is repeated is made once", async () => {
  const own = await ownTenant()
  const id = await own.createSession()
  await own.query(id, "Say hello")
  const { page } = await openConsole({ at: `#/sessions/${id}/time`, apiKey: own.key })
  const title = `Fork ${id}`
  const deliver = await loseResponses(page, /\/fork$/)
  await page.getByRole("button", { name: "Fork from here" }).click()
  await page.getByLabel("Title").fill(title)
  await page.keyboard.press("Enter")
  await unreachable(page).waitFor()
  deliver()
  await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click()
  await page.getByRole("heading", { name: title }).waitFor()
  const forks = () => own.json<{ data: ReadonlyArray<{ title: string | null }> }>("GET", "/v1/sessions?limit=100", {})
  await expect.poll(async () => (await forks()).data.filter((session) => session.title === title).length).toBe(1)
})

it("a recording that is repeated is made once", async () => {
  const id = await client.createSession({ runtime: { mode: "record" } })
  const name = `Recording ${id}`
  const { page } = await openConsole({ at: `#/sessions/${id}/time` })
  const deliver = await loseResponses(page, /\/v1\/recordings$/)
  await page.getByRole("button", { name: "Make a recording" }).click()
  await page.getByLabel("Name").fill(name)
  await page.keyboard.press("Enter")
  await unreachable(page).waitFor()
  deliver()
  await page.getByRole("button", { name: "Record", exact: true }).click()
  await page.getByText(/^Recorded \d+ events/).waitFor()
  const made = await client.json<{ data: ReadonlyArray<{ name: string }> }>("GET", "/v1/recordings?limit=50", {})
  expect(made.data.filter((recording) => recording.name === name).length).toBe(1)
})

it("a test event of a webhook that is repeated is sent once", async () => {
  const json = { url: `http://127.0.0.1:9/${crypto.randomUUID()}`, events: ["webhook:test"] }
  const { id } = await client.json<{ id: string }>("POST", "/v1/webhooks", { json, status: 201 })
  const { page } = await openConsole({ at: "#/hooks/webhooks" })
  const row = page.getByRole("listitem", { name: json.url })
  const send = row.getByRole("button", { name: "Send a test event" })
  const deliver = await loseResponses(page, /\/test$/)
  await send.click()
  await unreachable(page).waitFor()
  deliver()
  await send.click()
  await row.getByRole("region", { name: "Deliveries" }).getByRole("listitem").first().waitFor()
  const { data } = await client.json<{ data: ReadonlyArray<object> }>("GET", `/v1/webhooks/${id}/deliveries`, {})
  expect(data.length).toBe(1)
  await client.request("DELETE", `/v1/webhooks/${id}`)
})

it("a rename whose second step failed is completed when it is repeated, and a name that exists is refused", async () => {
  const id = await client.createSession()
  const path = `/v1/sessions/${id}/files/workspace`
  for (const name of ["a.txt", "other.txt"]) await client.request("PUT", `${path}/${name}`, { body: name })
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByRole("treeitem", { name: "a.txt" }).click()
  const start = page.getByRole("button", { name: "Rename…" })
  await start.click()
  const dialog = page.getByRole("dialog", { name: "Rename" })
  const rename = async (to: string) => {
    await dialog.getByRole("textbox").fill(to)
    await page.keyboard.press("Enter")
  }
  await rename("a.txt")
  await dialog.waitFor({ state: "detached" })
  await start.click()
  await rename("other.txt")
  await dialog.getByRole("alert").filter({ hasText: "/workspace/other.txt exists. Choose another name." }).waitFor()
  const json = { type: "error", error: { type: "permission_error", message: "Not for now." } }
  await page.route(/\/files\/workspace\/a\.txt$/, (route) =>
    route.request().method() === "DELETE" ? route.fulfill({ status: 403, json }) : route.fallback(),
  )
  await rename("b.txt")
  await dialog.getByRole("alert").filter({ hasText: "Not for now." }).waitFor()
  await page.unroute(/\/files\/workspace\/a\.txt$/)
  await page.keyboard.press("Enter")
  await dialog.waitFor({ state: "detached" })
  await page.getByRole("textbox", { name: "/workspace/b.txt" }).waitFor()
  const { files } = await client.json<{ files: ReadonlyArray<{ path: string }> }>("GET", `/v1/sessions/${id}/files`, {})
  expect(files.map((file) => file.path)).toEqual(["/workspace/b.txt", "/workspace/other.txt"])
})
