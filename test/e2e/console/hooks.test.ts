// The page "Hooks" in a browser: a webhook from its form to its end, and the hook events of a session.
import { randomBytes } from "node:crypto"
import { expect, inject, it, onTestFinished } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { startHookServer } from "../../support/server/hook-server.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const root = new PerchClient(shared)

interface Fired {
  readonly hook_event_name: string
}

it("makes a webhook, sends it a test event, shows the delivery, disables and deletes it", async () => {
  const receiver = await startHookServer()
  onTestFinished(() => receiver.close())
  const tenant = `console-hooks-${randomBytes(4).toString("hex")}`
  const json = { tenant, scopes: ["sessions:read", "sessions:write", "admin"] }
  const { key: apiKey } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  const { page } = await openConsole({ at: "#/hooks/webhooks", apiKey, width: 390 })
  await page.getByText("No webhook.").waitFor()
  await page.getByRole("button", { name: "New webhook…" }).click()
  const form = page.getByRole("dialog", { name: "New webhook" })
  const create = form.getByRole("button", { name: "Create" })
  await form.getByLabel("Address").fill("http://10.0.0.1/hook")
  await create.click()
  // The server's refusal; what was typed is still there.
  await form.getByRole("alert").filter({ hasText: "url" }).waitFor()
  await form.getByLabel("Address").fill(`${receiver.url}/hook?token=canary`)
  await create.click()
  const secret = page.getByRole("status", { name: "New secret" })
  expect(await secret.locator("code").textContent()).toMatch(/^whsec_/)
  await secret.getByRole("button", { name: "Done" }).click()
  const webhook = page.getByRole("listitem", { name: `${receiver.url}/hook?***` })
  await webhook.getByRole("button", { name: "Send a test event" }).click()
  const delivery = webhook.getByRole("listitem").filter({ hasText: "webhook:test" })
  await delivery.getByText("1 attempt, status 200").waitFor()
  expect(receiver.deliveries.map(({ input }) => input["type"])).toEqual(["webhook:test"])
  await delivery.getByRole("button", { name: "Redeliver" }).click()
  await eventually(async () => receiver.deliveries.length > 1 || undefined)
  await webhook.getByRole("button", { name: "Disable" }).click()
  await webhook.getByText("off: it was switched off").waitFor()
  await webhook.getByRole("button", { name: "Delete…" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click()
  await page.getByText("No webhook.").waitFor()
})

it("lists the hook events of a session, from its screen Events", async () => {
  const json = { title: "Hooks", options: { permissionMode: "bypassPermissions" } }
  const { id } = await root.json<{ id: string }>("POST", "/v1/sessions", { json, status: 201 })
  const name = scriptName("console-hooks")
  const write = call("Write", { file_path: "/workspace/notes.txt", content: "x" })
  await new ApiLog(shared.apiUrl).set(name, [{ content: [write] }, { content: [text("Done.")] }])
  await root.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(name) }, status: 200 })
  await eventually(async () => {
    const { data } = await root.json<{ data: ReadonlyArray<Fired> }>("GET", `/v1/hook-events?session=${id}`)
    const names = data.map(({ hook_event_name }) => hook_event_name)
    return (names.includes("UserPromptSubmit") && names.includes("PreToolUse")) || undefined
  })
  const { page } = await openConsole({ at: `#/sessions/${id}/events` })
  await page.getByRole("link", { name: "Hook events of this session" }).click()
  const filter = page.getByRole("search")
  const session = filter.getByRole("searchbox", { name: "Session" })
  expect(await session.inputValue()).toBe(id)
  const other = page.getByRole("button", { name: /UserPromptSubmit/ })
  await other.waitFor()
  await filter.getByRole("combobox", { name: "Event" }).selectOption("PreToolUse")
  await other.waitFor({ state: "detached" })
  const row = page.getByRole("button", { name: /PreToolUse.*Write/ })
  await row.click()
  await page.getByRole("tree").getByText("notes.txt").first().waitFor()
  await session.fill("nonsense")
  await filter.getByRole("alert").filter({ hasText: "no session id" }).waitFor()
  // What was listed stays until there is something else to ask for.
  await row.waitFor()
})
