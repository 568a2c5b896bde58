// The focus of the keyboard in a browser: controls that are disabled while a request runs keep it, and menus return it.
import type { Locator, Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => node === node.ownerDocument.activeElement)

/** The page gives the focus to the prompt when it has been rendered: until then, it may take it from a disabled control. */
const promptHasFocus = (page: Page) =>
  expect.poll(() => hasFocus(page.getByRole("textbox", { name: "Prompt" }))).toBe(true)

it("arrow keys step through the modes although each one is saved", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const mode = page.getByRole("combobox", { name: "Mode", exact: true })
  await expect.poll(() => mode.inputValue()).toBe("default")
  await promptHasFocus(page)
  await mode.focus()
  for (const next of ["acceptEdits", "plan"]) {
    await page.keyboard.press("ArrowDown")
    await expect
      .poll(async () => (await client.json<{ permissionMode: string }>("GET", `/v1/sessions/${id}`, {})).permissionMode)
      .toBe(next)
    await expect.poll(() => hasFocus(mode)).toBe(true)
    await expect.poll(() => mode.inputValue()).toBe(next)
  }
})

it("a button whose request failed keeps the focus, and a removed one leaves it to the main region", async () => {
  const script = scriptName("focus")
  await api.set(script, [{ content: [call("Bash", { command: "touch a" })] }, textAnswer("Done.")])
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await client.submit(id, promptFor(script))
  const deny = page.getByRole("button", { name: "Deny", exact: true })
  const json = { type: "error", error: { type: "permission_error", message: "Not for now." } }
  await page.route(/\/permissions\/[^/]+$/, (route) => route.fulfill({ status: 403, json }))
  await promptHasFocus(page)
  await deny.focus()
  await page.keyboard.press("Enter")
  await page.getByRole("alert").filter({ hasText: "Not for now." }).waitFor()
  await expect.poll(() => hasFocus(deny)).toBe(true)
  await page.unroute(/\/permissions\/[^/]+$/)
  await page.evaluate(`location.hash = "#/sessions/${id}/costs"`)
  await page.getByLabel("Budget in USD").fill("5")
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Change the budget" }).waitFor()
  // The stream may report the budget before the answer to its request arrives: until then, the button is disabled.
  const remove = page.getByRole("button", { name: "Remove the budget" })
  await expect.poll(() => remove.isEnabled()).toBe(true)
  await remove.focus()
  await page.keyboard.press("Enter")
  await page.getByText("This session has no budget", { exact: false }).waitFor()
  await expect.poll(() => hasFocus(page.getByRole("main"))).toBe(true)
})

it("an ask that another client answers while a request runs leaves the focus to the button of the request", async () => {
  const script = scriptName("asks")
  const reads = ["/srv/a", "/srv/b"].map((file_path) => call("Read", { file_path }))
  await api.set(script, [{ content: reads }, textAnswer("Done.")])
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await promptHasFocus(page)
  await client.submit(id, promptFor(script))
  const ask = (path: string) => page.getByRole("article", { name: "Allow Read?" }).filter({ hasText: path })
  const deny = ask("/srv/b").getByRole("button", { name: "Deny", exact: true })
  const answered = Promise.withResolvers<void>()
  await page.route(/\/permissions\/[^/]+$/, async (route) => {
    await answered.promise
    await route.fulfill({
      status: 403,
      json: { type: "error", error: { type: "permission_error", message: "Not for now." } },
    })
  })
  await deny.focus()
  await page.keyboard.press("Enter")
  await expect.poll(() => page.evaluate("document.activeElement === document.body")).toBe(true)
  const other = (await client.asks(id)).find(({ input }) => input["file_path"] === "/srv/a")
  await client.answer(id, other!.request_id, { behavior: "deny", message: "No." }, 200)
  await ask("/srv/a").waitFor({ state: "detached" })
  answered.resolve()
  await page.getByRole("alert").filter({ hasText: "Not for now." }).waitFor()
  await expect.poll(() => hasFocus(deny)).toBe(true)
})

it("a prompt that appears while a request runs leaves the focus to the button of the request", async () => {
  const id = await client.createSession()
  await client.query(id, "Say hello")
  await client.query(id, "Say hello again")
  const prompts = await client.json<{ messages: ReadonlyArray<{ info: { id: string; role: string } }> }>(
    "GET",
    `/v1/sessions/${id}/messages`,
  )
  const last = prompts.messages.findLast(({ info }) => info.role === "user")
  await client.json("POST", `/v1/sessions/${id}/revert`, { json: { messageID: last?.info.id }, status: 200 })
  const { page } = await openConsole({ at: `#/sessions/${id}/costs` })
  const loading = Promise.withResolvers<void>()
  await page.route("**/chat-*.js", async (route) => {
    await loading.promise
    await route.continue()
  })
  const answered = Promise.withResolvers<void>()
  await page.route("**/unrevert", async (route) => {
    await answered.promise
    await route.fulfill({
      status: 403,
      json: { type: "error", error: { type: "permission_error", message: "Not now." } },
    })
  })
  // Its chunk was preloaded.
  await page.reload({ waitUntil: "commit" })
  await page.getByText("This session has no budget", { exact: false }).waitFor()
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  const undo = page.locator(".unrevert").getByRole("button")
  await undo.focus()
  await page.keyboard.press("Enter")
  await expect.poll(() => undo.isDisabled()).toBe(true)
  await expect.poll(() => page.evaluate("document.activeElement === document.body")).toBe(true)
  loading.resolve()
  await page.getByRole("textbox", { name: "Prompt" }).waitFor()
  await expect.poll(() => page.getByRole("log", { name: "Messages" }).count()).toBe(1)
  answered.resolve()
  await page.getByRole("alert").filter({ hasText: "Not now." }).waitFor()
  await expect.poll(() => hasFocus(undo)).toBe(true)
})

it("a prompt that is sent again or discarded with its button leaves the focus to the field", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const prompt = page.getByRole("textbox", { name: "Prompt" })
  const json = { type: "error", error: { type: "permission_error", message: "Not for now." } }
  const outbox = page.getByRole("region", { name: "Prompts that are not accepted yet" })
  for (const name of ["Send again", "Discard"]) {
    await page.route(/\/query$/, (route) => route.fulfill({ status: 403, json }))
    await prompt.fill("/cost")
    await prompt.press("Enter")
    const button = page.getByRole("button", { name })
    await button.focus()
    await page.unroute(/\/query$/)
    await page.keyboard.press("Enter")
    await button.waitFor({ state: "detached" })
    await expect.poll(() => hasFocus(prompt)).toBe(true)
    // The next prompt is sent when this one is accepted.
    await outbox.waitFor({ state: "detached" })
  }
})

it("a prompt that is sent by itself leaves the focus of its buttons to the field", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const prompt = page.getByRole("textbox", { name: "Prompt" })
  const sent = Promise.withResolvers<void>()
  await page.route(/\/query$/, async (route) => {
    await sent.promise
    await route.continue()
  })
  for (const text of ["/cost", "/context"]) {
    await prompt.fill(text)
    await prompt.press("Enter")
  }
  const discard = page.getByRole("button", { name: "Discard" })
  await discard.focus()
  sent.resolve()
  await discard.waitFor({ state: "detached" })
  await expect.poll(() => hasFocus(prompt)).toBe(true)
})

it("buttons of a turn that ends and of a prompt that starts leave the focus to the field", async () => {
  const [first, second] = ["first", "second"].map(scriptName)
  await api.set(first!, [textAnswer("One.", { hold: {} })])
  await api.set(second!, [textAnswer("Two.", { hold: {} })])
  const id = await client.createSession()
  await client.submit(id, promptFor(first!))
  await client.submit(id, promptFor(second!))
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const prompt = page.getByRole("textbox", { name: "Prompt" })
  for (const [name, script] of [["Take back", first!] as const, ["Stop", second!] as const]) {
    const button = page.getByRole("button", { name, exact: true })
    await promptHasFocus(page)
    await button.focus()
    await api.release(`${script}#0`)
    await button.waitFor({ state: "detached" })
    await expect.poll(() => hasFocus(prompt)).toBe(true)
  }
})

it("a turn that is stopped with its button leaves the focus to the prompt", async () => {
  const script = scriptName("stopped")
  await api.set(script, [textAnswer("Late.", { hold: {} })])
  const id = await client.createSession()
  await client.submit(id, promptFor(script))
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const stop = page.getByRole("button", { name: "Stop", exact: true })
  await stop.focus()
  await page.keyboard.press("Enter")
  await stop.waitFor({ state: "detached" })
  await expect.poll(() => hasFocus(page.getByRole("textbox", { name: "Prompt" }))).toBe(true)
  await api.release(`${script}#0`)
})

it("Tab closes a menu and goes on from its button, in both directions", async () => {
  const script = scriptName("menu")
  await api.set(script, [textAnswer("~~~\ncode\n~~~")])
  const id = await client.createSession()
  await client.query(id, promptFor(script))
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const log = page.getByRole("log", { name: "Messages" })
  const actions = log.getByRole("button", { name: "Message actions" }).last()
  const menu = page.getByRole("menu", { name: "Message actions" })
  await actions.press("Enter")
  await menu.waitFor()
  await page.keyboard.press("Tab")
  await menu.waitFor({ state: "detached" })
  await expect.poll(() => hasFocus(log.getByRole("button", { name: "Copy the code" }))).toBe(true)
  await page.keyboard.press("Shift+Tab")
  await expect.poll(() => hasFocus(actions)).toBe(true)
  await page.keyboard.press("Enter")
  await menu.waitFor()
  await page.keyboard.press("Shift+Tab")
  await menu.waitFor({ state: "detached" })
  await expect.poll(() => hasFocus(actions)).toBe(false)
  await page.keyboard.press("Tab")
  await expect.poll(() => hasFocus(actions)).toBe(true)
})
