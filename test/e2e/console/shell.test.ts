// The console's frame, in a browser: signing in, the list of sessions, following a session, signing out.
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { ownTenant } from "../../support/browser/own-tenant.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

it("signs in with a key, refuses another, and signs out", async () => {
  const { page } = await openConsole({ apiKey: null })
  await page.getByLabel("API key").fill("perch_nobody_00000000_wrong")
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("alert").filter({ hasText: /key/i }).waitFor()
  await page.getByLabel("API key").fill(shared.key)
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "New session" }).waitFor()
  await page.reload()
  await page.getByRole("link", { name: "New session" }).waitFor()
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByLabel("API key").waitFor()
  expect(await page.evaluate("sessionStorage.length")).toBe(0)
})

it("finds a session by its title, and shows its conversation live", async () => {
  const own = await ownTenant()
  const title = `Console ${crypto.randomUUID()}`
  const { id } = await own.json<{ readonly id: string }>("POST", "/v1/sessions", { json: { title }, status: 201 })
  const { page } = await openConsole({ apiKey: own.key })
  await page.getByLabel("Search sessions").fill(title)
  await page.getByRole("link", { name: title }).click()
  await page.getByRole("heading", { name: title }).waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  await own.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: "Say hello" }, status: 200 })
  await page.getByRole("log", { name: "Messages" }).getByText("Say hello").waitFor()
})

it("the open session has its own state in the list too, before the list is read again", async () => {
  const name = scriptName("state")
  await api.set(name, [{ content: [call("Write", { file_path: "/workspace/a.txt", content: "a" })] }])
  const own = await ownTenant()
  const id = await own.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}`, apiKey: own.key })
  const row = page
    .getByRole("navigation", { name: "Sessions" })
    .getByRole("link")
    .and(page.locator("[aria-current=page]"))
  await row.getByText("idle").waitFor()
  await page.getByText("live", { exact: true }).waitFor()
  // From here on, the list stays as it is.
  await page.route("**/v1/sessions?*", () => undefined)
  await own.submit(id, promptFor(name))
  await row.getByText("needs you").waitFor()
  await own.json("POST", `/v1/sessions/${id}/interrupt`)
  await row.getByText("idle").waitFor()
})

it("an address with an id in upper case opens the session", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id.toUpperCase()}/costs` })
  await page.getByText("No turn has ended yet.").waitFor()
  await page.evaluate(`location.hash = "#/hooks/events/${id.toUpperCase()}"`)
  await expect.poll(() => page.getByRole("searchbox", { name: "Session", exact: true }).inputValue()).toBe(id)
})

it("an address of no page is reported, and is not the form for a new session", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: "#/session/typo" })
  const alert = page.getByRole("alert")
  await alert.filter({ hasText: "The console has no page at #/session/typo." }).waitFor()
  const wrong = [
    "sessions/typo",
    `sessions/${id}/file`,
    `sessions/${id}/time/last`,
    `sessions/${id}/costs/2`,
    "costs/x",
  ]
  for (const hash of [...wrong, "hooks/dead/x", "hooks/event", "hooks/events/typo"]) {
    await page.evaluate(`location.hash = "#/${hash}"`)
    await alert.filter({ hasText: `no page at #/${hash}.` }).waitFor()
  }
  expect(await page.getByRole("textbox").count()).toBe(0)
  for (const [hash, heading] of [
    ["#/hooks/dead/", "Hooks"],
    ["#/costs", "Costs"],
    ["", "New session"],
  ] as const) {
    await page.evaluate(`location.hash = "${hash}"`)
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor()
  }
})

it("the title of the tab names the page, or the session with the number of its pending asks", async () => {
  const script = scriptName("title")
  await api.set(script, [{ content: [call("Bash", { command: "touch a" })] }, textAnswer("Done.")])
  const id = await client.createSession()
  const { page } = await openConsole({ apiKey: null })
  await expect.poll(() => page.title()).toBe("Sign in · Perch")
  await page.getByLabel("API key").fill(shared.key)
  await page.keyboard.press("Enter")
  for (const [hash, name] of [
    ["#/", "New session"],
    ["#/costs", "Costs"],
    ["#/recordings", "Recordings"],
    ["#/hooks", "Hooks"],
    ["#/tenants", "Tenants"],
    ["#/typo", "Page not found"],
  ] as const) {
    await page.evaluate(`location.hash = "${hash}"`)
    await expect.poll(() => page.title()).toBe(`${name} · Perch`)
  }
  await page.evaluate(`location.hash = "#/sessions/${id}/files"`)
  await expect.poll(() => page.title()).toMatch(/^Untitled .* · Perch$/)
  await page.getByText("live", { exact: true }).waitFor()
  await client.json("PATCH", `/v1/sessions/${id}`, { json: { title: "Fix the build" }, status: 200 })
  await expect.poll(() => page.title()).toBe("Fix the build · Perch")
  await client.submit(id, promptFor(script))
  await expect.poll(() => page.title()).toBe("(1) Fix the build · Perch")
  const [ask] = await client.asks(id)
  await client.answer(id, ask!.request_id, { behavior: "deny", message: "No." })
  await expect.poll(() => page.title()).toBe("Fix the build · Perch")
})

it("the link of the current page is marked", async () => {
  const { page } = await openConsole({ at: "#/costs" })
  const current = page.getByRole("navigation", { name: "Pages" }).locator("[aria-current=page]")
  for (const name of ["Costs", "Recordings", "Hooks", "Tenants"]) {
    await page.getByRole("link", { name, exact: true }).click()
    await expect.poll(() => current.allTextContents()).toEqual([name])
  }
})

it("preloads all modules of a session's conversation", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("No messages yet.", { exact: false }).waitFor()
  const loaded = (await page.evaluate(
    `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((name) => name.endsWith(".js"))`,
  )) as ReadonlyArray<string>
  const html = await (await fetch(shared.url)).text()
  expect(loaded.length).toBeGreaterThan(2)
  expect(loaded.filter((name) => !html.includes(`"${name}"`))).toEqual([])
})

it("a search in a partial list of sessions reports that older ones were not searched, and finds them when they are loaded", async () => {
  const facts = {
    model: "m",
    state: "idle",
    first_prompt: null,
    total_cost_usd: 0,
    created_at: "2026-01-31T12:00:00.000Z",
  }
  const sessionOf = (id: string, title: string) => ({ ...facts, id, title, updated_at: facts.created_at })
  const { page } = await openConsole({ apiKey: null })
  await page.route("**/v1/sessions?*", (route) => {
    const cursor = new URL(route.request().url()).searchParams.get("cursor")
    if (cursor === "further") return route.fulfill({ json: { data: [sessionOf("0", "the last")], next_cursor: null } })
    const data = cursor === null ? [sessionOf("2", "the newer one")] : [sessionOf("1", "the older one")]
    return route.fulfill({ json: { data, next_cursor: cursor === null ? "behind" : "further" } })
  })
  await page.getByLabel("API key").fill(shared.key)
  await page.keyboard.press("Enter")
  await page.getByText("the newer one").waitFor()
  // The page takes the focus when it appears.
  await page.locator("#prompt:focus").waitFor()
  await page.getByLabel("Search sessions").fill("older")
  await page.getByText("None of the loaded sessions matches.", { exact: false }).waitFor()
  const older = page.getByRole("button", { name: "Older sessions" })
  const focused = () => page.evaluate("document.activeElement.textContent")
  await older.press("Enter")
  await page.getByRole("link", { name: "the older one" }).waitFor()
  await expect.poll(focused).toBe("Older sessions")
  await older.press("Enter")
  await older.waitFor({ state: "detached" })
  await expect.poll(focused).toContain("the older one")
  await page.getByLabel("Search sessions").fill("nowhere")
  await page.getByText("No session matches the search.").waitFor()
})

it("the page for a new session takes the focus when it appears, but not from a field that is in use", async () => {
  const { page } = await openConsole({ at: "#/costs" })
  const loading = Promise.withResolvers<void>()
  await page.route("**/new-session*.js", async (route) => {
    await loading.promise
    await route.continue()
  })
  await page.getByRole("link", { name: "New session" }).click()
  const search = page.getByLabel("Search sessions")
  await search.fill("report")
  loading.resolve()
  await page.locator("#prompt").waitFor()
  await search.pressSequentially("s")
  expect(await search.inputValue()).toBe("reports")
  await page.getByRole("link", { name: "Costs", exact: true }).click()
  await page.getByRole("heading", { name: "Costs" }).waitFor()
  await page.getByRole("link", { name: "New session" }).click()
  await page.locator("#prompt:focus").waitFor()
})

it("a screen that was loaded before is shown at once", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: "#/hooks" })
  const hooks = page.getByRole("heading", { name: "Hooks", exact: true })
  await hooks.waitFor()
  await page.getByRole("link", { name: "New session" }).click()
  await page.getByLabel("What should be done?").waitFor()
  for (const screen of ["files", "time", "events"]) {
    await page.evaluate(`location.hash = "#/sessions/${id}/${screen}"`)
    // Not the section of the screen before it.
    await page.locator(`nav.tabs:has(a[aria-current="page"][href$="${screen}"]) ~ section`).first().waitFor()
  }
  await page.evaluate(`
    globalThis.placeholders = 0
    new MutationObserver((changes) => {
      const added = changes.flatMap(({ addedNodes }) => [...addedNodes])
      globalThis.placeholders += added.filter((node) => node.matches?.("main > .loading, .session > .loading")).length
    }).observe(document.querySelector("main"), { childList: true, subtree: true })`)
  for (const screen of ["files", "time", "events"]) {
    await page.evaluate(`location.hash = "#/sessions/${id}/${screen}"`)
    await page.locator(`nav.tabs a[aria-current="page"][href$="${screen}"]`).waitFor()
  }
  await page.getByRole("link", { name: "New session" }).click()
  await page.getByLabel("What should be done?").waitFor()
  await page.getByRole("link", { name: "Hooks", exact: true }).click()
  await hooks.waitFor()
  expect(await page.evaluate("placeholders")).toBe(0)
})

it("a session that is erased elsewhere leaves the list, also the oldest one", async () => {
  const tenant = `console-${crypto.randomUUID().slice(0, 8)}`
  const { key: apiKey } = await client.json<{ key: string }>("POST", "/v1/admin/keys", {
    json: { tenant },
    status: 201,
  })
  const own = client.withKey(apiKey)
  const make = (title: string) => own.json<{ id: string }>("POST", "/v1/sessions", { json: { title }, status: 201 })
  const { id } = await make("The oldest")
  await make("The newest")
  const { page } = await openConsole({ apiKey })
  const oldest = page.getByRole("link", { name: "The oldest" })
  await oldest.waitFor()
  await own.request("DELETE", `/v1/sessions/${id}`)
  await oldest.waitFor({ state: "detached" })
  await page.getByRole("link", { name: "The newest" }).waitFor()
})

it("a failed read is not shown as empty, or as still loading", async () => {
  const json = { tenant: `console-${crypto.randomUUID().slice(0, 8)}`, scopes: ["sessions:read", "sessions:write"] }
  const { key: apiKey } = await client.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  const made = { json: { title: "Without files" }, status: 201 }
  const tenant = new PerchClient({ ...shared, key: apiKey })
  const { id } = await tenant.json<{ id: string }>("POST", "/v1/sessions", made)
  const { page } = await openConsole({ at: `#/sessions/${id}/files`, apiKey })
  const workspace = page.getByRole("region", { name: "Workspace" })
  await workspace.getByRole("alert").filter({ hasText: "lacks the scope files" }).waitFor()
  await expect.poll(() => workspace.innerText()).not.toMatch(/is empty|Loading/)
  await workspace.getByRole("tab", { name: "Changes" }).click()
  await workspace.getByRole("alert").filter({ hasText: "lacks the scope" }).waitFor()
  await expect.poll(() => workspace.innerText()).not.toContain("Loading")
  await page.getByRole("link", { name: "Without files" }).waitFor()
  const error = { type: "permission_error", message: "Not for now." }
  await page.route("**/v1/sessions?*", (route) => route.fulfill({ status: 403, json: { type: "error", error } }))
  await page.reload()
  const sidebar = page.getByRole("complementary", { name: "Sessions" })
  await sidebar.getByRole("alert").filter({ hasText: "Not for now." }).waitFor()
  expect(await sidebar.innerText()).not.toContain("No sessions yet.")
})
