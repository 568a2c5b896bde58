// The screen "Events" and the page "Recordings" in a browser: raw events by pattern; recordings that are created, replayed,
// watched and uploaded.
import { expect, it } from "vitest"
import { downloaded, openConsole } from "../../../support/browser/console-page.ts"
import { record, recorded } from "../../recordings/recorded.ts"

it("filters the raw events by a pattern, records the session and replays it without a difference", async () => {
  const { id } = await recorded()
  const { page } = await openConsole({ at: `#/sessions/${id}/events` })
  const events = page.getByRole("region", { name: "Events", exact: true }).getByRole("listitem")
  await events.filter({ hasText: "sdk:assistant" }).first().waitFor()
  await page.getByLabel("Name or pattern").fill("turn:queue*")
  await events.filter({ hasText: "sdk:assistant" }).first().waitFor({ state: "detached" })
  await expect.poll(() => events.count()).toBe(2)
  await page.getByRole("link", { name: "Time", exact: true }).click()
  await page.getByRole("button", { name: "Make a recording" }).click()
  const name = `Two turns ${id} ${"word".repeat(35)}`
  await page.getByLabel("Name").fill(name)
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "Open the recordings" }).click()
  const recording = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) })
  await recording.getByRole("button", { name: "Replay" }).click()
  await recording.getByText(/All \d+ events are equal/).waitFor()
  await recording.getByRole("button", { name: "Checkpoints…" }).click()
  // Long words in the name are broken.
  for (const area of ["main", "dialog"]) {
    const sizes = page.locator(area).evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
    expect(new Set(await sizes).size, area).toBe(1)
  }
  await page.getByLabel("Name").fill("half")
  await page.getByLabel("Behind event").fill("3")
  await page.keyboard.press("Enter")
  await page.getByRole("list", { name: "Checkpoints" }).getByText("half behind event 3").waitFor()
  await page.getByRole("button", { name: "Close", exact: true }).click()
  const file = await downloaded(page, () => recording.getByRole("button", { name: "Download" }).click())
  expect(file.name).toMatch(/\.json$/)
  const upload = () =>
    page
      .getByLabel("Recording to upload")
      .setInputFiles({ name: file.name, mimeType: "application/json", buffer: file.bytes })
  await upload()
  await page.getByText("The server already has this recording. Erase it first").waitFor()
  await recording.getByRole("button", { name: "Erase" }).click()
  const error = { type: "permission_error", message: "Not for now." }
  const refusal = { status: 403, json: { type: "error", error } }
  await page.route(/\/v1\/recordings\/[^/]+$/, (route) => route.fulfill(refusal), { times: 1 })
  await page.getByRole("button", { name: "Erase for good" }).click()
  await page.getByText("Not for now.").waitFor()
  await page.getByRole("button", { name: "Erase for good" }).click()
  await recording.waitFor({ state: "detached" })
  await upload()
  await recording.getByText("answers").waitFor()
  await recording.getByRole("button", { name: "Replay" }).click()
  await recording.getByText(/All \d+ events are equal/).waitFor()
})

it("a replay is watched in its session while it runs, and compared afterwards", async () => {
  const { id } = await recorded()
  const name = `Watched ${id}`
  await record(id, { name })
  const { page } = await openConsole({ at: "#/recordings" })
  // A replay makes no request outside, so nothing can hold it: its report says that it runs until its session was watched.
  let isHeld = true
  await page.route("**/v1/recordings/*/replays/*", async (route) => {
    const response = await route.fetch()
    const report = (await response.json()) as object
    return route.fulfill({ response, json: isHeld ? { ...report, status: "running", equal: null } : report })
  })
  const recording = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) })
  await recording.getByRole("button", { name: "Replay" }).click()
  await recording.getByRole("link", { name: "Watch the session that replays it" }).click()
  const log = page.getByRole("log", { name: "Messages" })
  // Of the first turn and of the second.
  await log.getByText("It has one word.").nth(1).waitFor()
  await page.getByRole("link", { name: "Recordings", exact: true }).click()
  await recording.getByText("The replay runs.").waitFor()
  isHeld = false
  await recording.getByText(/All \d+ events are equal/).waitFor()
  await recording.getByRole("link", { name: "Open the replayed session" }).waitFor()
})

it("lists each recording once, however often older ones are requested", async () => {
  const { page } = await openConsole({ at: "#/costs" })
  const facts = { kind: "session", tags: [], created_at: new Date().toISOString(), finalized: true, source: {} }
  const recordingOf = (id: string) => ({ ...facts, id, name: id, duration_ms: 1, signals: 1, answers: 1, bytes: 1 })
  const cursors: Array<string | null> = []
  const older = Promise.withResolvers<void>()
  await page.route("**/v1/recordings?*", async (route) => {
    const cursor = new URL(route.request().url()).searchParams.get("cursor")
    cursors.push(cursor)
    if (cursor === null) return route.fulfill({ json: { data: [recordingOf("first")], next_cursor: "behind" } })
    await older.promise
    await route.fulfill({ json: { data: [recordingOf("second")], next_cursor: null } })
  })
  await page.getByRole("link", { name: "Recordings" }).click()
  await page.getByRole("button", { name: "Older recordings" }).dblclick()
  await page.getByRole("button", { name: "Loading…" }).waitFor()
  older.resolve()
  await page.getByRole("heading", { name: "second" }).waitFor()
  expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(["first", "second"])
  expect(cursors).toEqual([null, "behind"])
})
