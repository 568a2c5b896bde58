// The page "Hooks" in a browser: the hook events of a session, those that could not be stored, and the secret of HTTP hooks.
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { eventually, PerchClient } from "../../../support/server/client.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const root = new PerchClient(shared)

interface Fired {
  readonly hook_event_name: string
}

it("lists the hook events of a session, from its screen Events", async () => {
  const json = { title: "Hooks", options: { permissionMode: "bypassPermissions" } }
  const { id } = await root.json<{ id: string }>("POST", "/v1/sessions", { json, status: 201 })
  const name = scriptName("console-hooks")
  const write = call("Write", { file_path: "/workspace/notes.txt", content: "x" })
  await new ApiLog(shared.apiUrl).set(name, [{ content: [write] }, textAnswer("Done.")])
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
  await expect.poll(() => session.inputValue()).toBe(id)
  const other = page.getByRole("button", { name: /UserPromptSubmit/ })
  await other.waitFor()
  await filter.getByRole("combobox", { name: "Event" }).selectOption("PreToolUse")
  await other.waitFor({ state: "detached" })
  const row = page.getByRole("button", { name: /PreToolUse.*Write/ })
  await row.click()
  await page.getByRole("tree").getByText("notes.txt").first().waitFor()
  await session.fill("nonsense")
  await filter.getByRole("alert").filter({ hasText: "no session id" }).waitFor()
  // The listed events stay until there is something else to request.
  await row.waitFor()
})

it("shows a dead hook event with its reason and delivers it again, and rolls the secret of HTTP hooks", async () => {
  const json = { tenant: `console-hooks-${crypto.randomUUID().slice(0, 8)}`, scopes: ["sessions:read", "admin"] }
  const { key: apiKey } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  const { page } = await openConsole({ at: "#/hooks/dead", apiKey })
  await page.getByText("No dead event.").waitFor()
  // No real queue drops an event within a test: the list answers with one, and removes it on delivery.
  const at = new Date().toISOString()
  const ids = { id: "event-1", session_id: crypto.randomUUID(), seq: 7, hook_event_name: "PreToolUse", at }
  const dead = { ...ids, input: { tool_name: "Write" }, outcome: {}, died_at: at, reason: "It could not be stored." }
  const keys: Array<string | undefined> = []
  await page.route("**/v1/hook-events/dead**", async (route) => {
    const request = route.request()
    if (request.method() === "GET")
      return route.fulfill({ json: { data: [{ ...dead, redelivered_at: null }], next_cursor: null } })
    keys.push(request.headers()["idempotency-key"])
    if (keys.length > 1) return route.fulfill({ status: 202, json: { ...dead, redelivered_at: at } })
    const error = { type: "api_error", message: "The queue is away." }
    return route.fulfill({ status: 400, json: { type: "error", error } })
  })
  await page.getByRole("link", { name: "Webhooks", exact: true }).click()
  const secrets = page.getByRole("region", { name: "Secret of HTTP hooks" })
  await secrets.getByText("No secret yet").waitFor()
  await secrets.getByRole("button", { name: "New secret…" }).click()
  await page.getByRole("button", { name: "Make a new secret" }).click()
  expect(await secrets.getByRole("status").locator("code").textContent()).toMatch(/^whsec_/)
  await secrets.getByText("current", { exact: true }).waitFor()
  await page.getByRole("link", { name: "Dead events", exact: true }).click()
  await page.getByRole("button", { name: /PreToolUse.*Write/ }).waitFor()
  await page.getByText("It could not be stored.").waitFor()
  const redeliver = page.getByRole("button", { name: "Redeliver" })
  await redeliver.click()
  await page.getByRole("alert").filter({ hasText: "The queue is away." }).waitFor()
  await redeliver.click()
  await page.getByText(/^delivered again /).waitFor()
  expect(keys).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)])
})
