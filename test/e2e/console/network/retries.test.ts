// What a page could not read, in a browser: it names what is missing, reads it when it is asked to, and keeps the focus meanwhile.
import type { Page } from "playwright-core"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { messages } from "../../../support/browser/composer.ts"
import { PerchClient } from "../../../support/server/client.ts"
import { ApiLog } from "../../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../../support/session/scripts.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const json = { type: "error", error: { type: "permission_error", message: "Not for now." } }

/** Answers requests to this path with a 403 until the returned function is called. */
const refuse = async (page: Page, path: RegExp, method = "GET") => {
  await page.route(path, (route) =>
    route.request().method() === method ? route.fulfill({ status: 403, json }) : route.fallback(),
  )
  return () => page.unroute(path)
}

const failure = (page: Page, unread: string) =>
  page.getByRole("alert").filter({ hasText: `${unread} could not be read. Not for now.` })

/** A session with a file, whose second turn begins at `place`. */
const twoTurns = async () => {
  const script = scriptName("retries")
  const write = call("Write", { file_path: "/workspace/a.txt", content: "What it contains." })
  await api.set(script, [{ content: [write] }, textAnswer("Written.")])
  const id = await client.createSession({ permissionMode: "acceptEdits" })
  await client.query(id, promptFor(script))
  await client.query(id, "Say hello")
  const queued = (await client.events(id)).filter(({ name }) => name === "turn:queued")
  return { id, place: queued[1]!.seq - 1 }
}

it("the files of a place, a file, and the place itself are read at a retry", async () => {
  const { id, place } = await twoTurns()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const files = page.getByRole("region", { name: "Files at this place" })
  const file = files.getByRole("button", { name: "/workspace/a.txt" })
  for (const hash of ["time", `time/${place}`]) {
    const allow = await refuse(page, /\/files\?/)
    await page.evaluate(`location.hash = "#/sessions/${id}/${hash}"`)
    await failure(page, "The files").waitFor()
    await allow()
    const read = page.waitForEvent("requestfinished", (request) => /\/files\?/.test(request.url()))
    await failure(page, "The files").getByRole("button", { name: "Try again" }).click()
    await read
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    await file.waitFor()
    await failure(page, "The files").waitFor({ state: "detached" })
  }
  const allowFile = await refuse(page, /\/files\/workspace\/a\.txt/)
  await file.click()
  await failure(page, "The file").waitFor()
  await allowFile()
  await failure(page, "The file").getByRole("button", { name: "Try again" }).click()
  await files.getByText("What it contains.").waitFor()
  const allowPlace = await refuse(page, /\/cost\?at=/)
  await page.getByRole("button", { name: "Previous event" }).click()
  await failure(page, "This place").waitFor()
  await allowPlace()
  await failure(page, "This place").getByRole("button", { name: "Try again" }).click()
  await failure(page, "This place").waitFor({ state: "detached" })
  await expect.poll(() => page.getByRole("button", { name: "Fork from here" }).isEnabled()).toBe(true)
})

it("the preview of a revert is read at a retry, and the keyboard stays in its dialog", async () => {
  const { id, place } = await twoTurns()
  const { page } = await openConsole({ at: `#/sessions/${id}/time/${place}` })
  await messages(page).getByText("Written.").waitFor()
  const allow = await refuse(page, /\/messages\?/)
  await page.getByRole("button", { name: "Revert to here" }).click()
  const dialog = page.getByRole("dialog", { name: "Revert to here" })
  const again = failure(page, "What would go away").getByRole("button", { name: "Try again" })
  await again.focus()
  await page.keyboard.press("Enter")
  const focused = "document.activeElement.textContent"
  await expect.poll(() => page.evaluate(focused)).toBe("Try again")
  await allow()
  await page.keyboard.press("Enter")
  await dialog.getByText("2 messages (1 prompt)").waitFor()
  expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true)
  await page.keyboard.press("Tab")
  await page.keyboard.press("Escape")
  await dialog.waitFor({ state: "detached" })
})

it("a button that repeats a failed read gives the focus to the main region, and takes it back if that fails, too", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const held = Promise.withResolvers<void>()
  let sent = 0
  await page.route(/\/v1\/sessions\/[^/]+\/cost$/, async (route) => {
    sent += 1
    if (sent === 2) await held.promise
    return sent > 2 ? route.fallback() : route.fulfill({ status: 403, json })
  })
  await page.evaluate(`location.hash = "#/sessions/${id}/costs"`)
  const again = failure(page, "The costs").getByRole("button", { name: "Try again" })
  await again.focus()
  await page.keyboard.press("Enter")
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main")
  held.resolve()
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Try again")
  await page.keyboard.press("Enter")
  await page.getByText("No turn has ended yet.").waitFor()
  expect(await page.evaluate("document.activeElement.id")).toBe("main")
})

it("an action on files that failed is repeated at a retry", async () => {
  const { id } = await twoTurns()
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByRole("treeitem", { name: "a.txt" }).click()
  const downloads = [
    [/\/archive/, page.getByRole("button", { name: "Download all" })],
    [/\/files\/workspace\/a\.txt/, page.getByRole("button", { name: "Download", exact: true })],
  ] as const
  await page.getByRole("textbox", { name: "/workspace/a.txt" }).waitFor()
  for (const [path, button] of downloads) {
    const allow = await refuse(page, path)
    await button.click()
    const again = page.getByRole("alert").filter({ hasText: "Not for now." }).getByRole("button", { name: "Try again" })
    await again.waitFor()
    await allow()
    await Promise.all([page.waitForEvent("download"), again.click()])
    await again.waitFor({ state: "detached" })
  }
})

it("an older page of messages that failed is read at a retry, and the loaded ones stay", async () => {
  const id = await client.createSession({})
  for (const text of ["Say the first thing", ...Array<string>(30).fill("/cost")]) await client.query(id, text)
  const { page } = await openConsole({ at: "#/" })
  await page.getByRole("main").waitFor()
  const log = messages(page)
  const toStart = () => log.evaluate((list) => list.scrollTo(0, 0))
  const allow = await refuse(page, /\/messages\?.*after=/)
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  await log.getByText("/cost", { exact: true }).last().waitFor()
  const alert = page.getByRole("alert").filter({ hasText: "Not for now." })
  await expect.poll(async () => (await toStart(), alert.count())).toBe(1)
  const newest: Array<string> = []
  page.on("request", (request) => {
    if (/\/messages\?(?!.*after=)/.test(request.url())) newest.push(request.url())
  })
  await allow()
  await alert.getByRole("button", { name: "Try again" }).click()
  await expect.poll(async () => (await toStart(), log.getByText("Say the first thing").count())).toBe(1)
  await alert.waitFor({ state: "detached" })
  expect(newest).toEqual([])
})

it("a session is followed while its asks and todos are still read", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: "#/" })
  await page.getByRole("main").waitFor()
  const held = Promise.withResolvers<void>()
  await page.route(/\/(permissions|todos)$/, async (route) => {
    const response = await route.fetch()
    await held.promise
    await route.fulfill({ response })
  })
  await page.evaluate(`location.hash = "#/sessions/${id}/files"`)
  await page.getByText("live", { exact: true }).waitFor()
  await page.getByRole("tab", { name: "Todos" }).click()
  const script = scriptName("todos")
  const todos = [{ content: "Write", status: "in_progress", activeForm: "Writing it" }]
  await api.set(script, [{ content: [call("TodoWrite", { todos })] }, textAnswer("Done.")])
  await client.query(id, promptFor(script))
  await page.getByText("Writing it").waitFor()
  const read = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/todos"))
  held.resolve()
  await read
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
  expect(await page.getByText("Writing it").count()).toBe(1)
})

it("a link to a place reads the files of that place only", async () => {
  const { id, place } = await twoTurns()
  const { page } = await openConsole({ at: "#/" })
  await page.getByRole("main").waitFor()
  const read: Array<string | null> = []
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith("/files")) read.push(searchParams.get("at"))
  })
  await page.evaluate(`location.hash = "#/sessions/${id}/time/${place}"`)
  const files = page.getByRole("region", { name: "Files at this place" })
  await files.getByRole("button", { name: "/workspace/a.txt" }).waitFor()
  expect(read).toEqual([String(place)])
})
