// Prompts from the console: sent once over a network that is down, queued and withdrawn, interrupted; and a new session.
import { expect, inject, it } from "vitest"
import type { Page } from "playwright-core"
import { messages, prompt, promptsOf, queue, scripted } from "../../support/browser/composer.ts"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const client = new PerchClient(shared)

/** Records, with each change of the page from now on, where a text is shown. */
const watchPlaces = (page: Page, wanted: string): Promise<void> =>
  page.evaluate(`(() => {
    const places = (globalThis.places = [])
    const has = (selector) => document.querySelector(selector)?.textContent.includes(${JSON.stringify(wanted)})
    const note = () => {
      const shown = [has("[aria-label='Queued prompts']") && "queue", has("[role=log]") && "conversation"]
      const place = shown.filter(Boolean).join(" and ") || "nowhere"
      if (places.at(-1) !== place) places.push(place)
    }
    note()
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true, characterData: true })
  })()`)

const placesOf = (page: Page): Promise<unknown> => page.evaluate("globalThis.places")

const turnsOf = async (id: string): Promise<ReadonlyArray<{ readonly status: string }>> =>
  (await client.json<{ data: ReadonlyArray<{ readonly status: string }> }>("GET", `/v1/sessions/${id}/turns`, {})).data

it("a prompt that was written without a network survives a reload and runs once", async () => {
  const script = await scripted(api, "once", textAnswer("Only once."))
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  await page.route("**/query", (route) => route.abort("connectionfailed"))
  await prompt(page).fill(promptFor(script))
  await prompt(page).press("Enter")
  await page.getByRole("region", { name: "Prompts that are not accepted yet" }).waitFor()
  await expect.poll(() => prompt(page).inputValue()).toBe("")
  await page.reload()
  await page.getByRole("region", { name: "Prompts that are not accepted yet" }).waitFor()
  await page.unroute("**/query")
  await messages(page).getByText("Only once.").waitFor()
  expect(await turnsOf(id)).toHaveLength(1)
})

it("a draft survives a reload, and the direction of a long one is not determined at each key", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await prompt(page).fill("half a sentence")
  await page.reload()
  await expect.poll(() => prompt(page).inputValue()).toBe("half a sentence")
  expect(await prompt(page).getAttribute("dir")).toBe("auto")
  await prompt(page).fill("כל השורות ".repeat(3000))
  await expect.poll(() => prompt(page).getAttribute("dir")).toBe("rtl")
})

it("a queued prompt is listed and withdrawn, and Escape stops the turn", async () => {
  const held = await scripted(api, "held", { content: [text("Never shown.")], hold: {} })
  const next = await scripted(api, "next", textAnswer("Next."))
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await prompt(page).fill(promptFor(held))
  await prompt(page).press("Enter")
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor()
  await prompt(page).fill(promptFor(next))
  await prompt(page).press("Enter")
  await queue(page).getByText(next).waitFor()
  await expect.poll(() => promptsOf(client, id)).toEqual([promptFor(held), promptFor(next)])
  expect(await messages(page).getByText(next).count()).toBe(0)
  await page.getByRole("button", { name: "Take back" }).click()
  await expect.poll(() => prompt(page).inputValue()).toBe(promptFor(next))
  await queue(page).waitFor({ state: "detached" })
  expect(await messages(page).getByText(next).count()).toBe(0)
  expect(await promptsOf(client, id)).toEqual([promptFor(held)])
  await prompt(page).press("Escape")
  await expect.poll(async () => (await turnsOf(id)).map(({ status }) => status)).toEqual(["cancelled", "interrupted"])
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" })
})

it("a queued prompt is only in the queue until its turn starts, and then in the conversation, also after a reload", async () => {
  const read = { content: [call("Read", { file_path: "/workspace/none.txt" })] }
  const first = await scripted(api, "first", read, { content: [text("First done.")], hold: {} })
  const next = await scripted(api, "next", textAnswer("Next done."))
  const id = await client.createSession({ permissionMode: "bypassPermissions" })
  const { page } = await openConsole({ hasOwnContext: true, at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  await prompt(page).fill(promptFor(first))
  await prompt(page).press("Enter")
  // Its second request waits.
  await expect.poll(async () => (await api.requests(first)).length).toBe(2)
  await prompt(page).fill(promptFor(next))
  await prompt(page).press("Enter")
  await queue(page).getByText(next).waitFor()
  await page.reload()
  await queue(page).getByText(next).waitFor()
  await messages(page).getByText(first).waitFor()
  await watchPlaces(page, next)
  // As on a slow device: rendering rows that arrive together takes longer than a task may.
  await (await page.context().newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: 10 })
  await api.release(`${first}#1`)
  await messages(page).getByText("Next done.").waitFor()
  expect(await placesOf(page)).toEqual(["queue", "conversation"])
  const shown = [promptFor(first), "First done.", promptFor(next), "Next done."]
  const order = async () => {
    const all = await messages(page).innerText()
    return shown.toSorted((a, b) => all.indexOf(a) - all.indexOf(b)).filter((one) => all.includes(one))
  }
  await expect.poll(order).toEqual(shown)
  await page.reload()
  await messages(page).getByText("Next done.").waitFor()
  await expect.poll(order).toEqual(shown)
})

it("commands and files are completed, and the mode without asks needs a confirmation", async () => {
  const id = await client.createSession({})
  await fetch(`${shared.url}/v1/sessions/${id}/files/workspace/report.md`, {
    method: "PUT",
    headers: { authorization: `Bearer ${shared.key}` },
    body: "x",
  })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  await prompt(page).pressSequentially("/comp")
  await page.getByRole("option", { name: /compact/ }).waitFor()
  await prompt(page).press("Tab")
  await expect.poll(() => prompt(page).inputValue()).toBe("/compact ")
  await prompt(page).fill("")
  await prompt(page).pressSequentially("see @rep")
  await page.getByRole("option", { name: /report\.md/ }).waitFor()
  await prompt(page).press("Enter")
  await expect.poll(() => prompt(page).inputValue()).toBe("see @report.md ")
  await page.getByRole("combobox", { name: "Mode", exact: true }).selectOption("bypassPermissions")
  await page.getByRole("dialog").getByRole("button", { name: "Ask about nothing" }).click()
  await expect
    .poll(async () => (await client.json<{ permissionMode: string }>("GET", `/v1/sessions/${id}`, {})).permissionMode)
    .toBe("bypassPermissions")
})

it("a new session starts with its prompt and a file, which is in the workspace", async () => {
  const script = await scripted(api, "new", textAnswer("Read it."))
  const { page } = await openConsole({ at: "#/" })
  await page.getByLabel("What should be done?").fill(promptFor(script))
  await page
    .getByLabel("Files to attach")
    .setInputFiles([{ name: "data set.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n") }])
  await page.getByRole("button", { name: "Start" }).click()
  await messages(page).getByText("Read it.").waitFor()
  const id = new URL(page.url()).hash.split("/")[2]
  const file = await fetch(`${shared.url}/v1/sessions/${id}/files/workspace/uploads/data-set.csv`, {
    headers: { authorization: `Bearer ${shared.key}` },
  })
  expect(await file.text()).toBe("a,b\n")
})

const attached = (name: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(name) })

/** Delays the uploads of prompts' files, and counts them, until it is called. */
const holdUploads = async (page: Page) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const uploads: Array<string> = []
  await page.route("**/files/workspace/uploads/*", async (route) => {
    uploads.push(route.request().url())
    await promise
    await route.continue()
  })
  return { uploads, release: resolve }
}

it("what is typed and attached during an upload is kept for the next prompt", async () => {
  const script = await scripted(api, "typed", textAnswer("Read it."))
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const { release } = await holdUploads(page)
  await prompt(page).fill(promptFor(script))
  await page.getByLabel("Files to attach").setInputFiles([attached("one.csv")])
  await prompt(page).press("Enter")
  await page.getByRole("button", { name: "Uploading…" }).waitFor()
  await prompt(page).pressSequentially(" And then the second thing.")
  await page.getByLabel("Files to attach").setInputFiles([attached("two.csv")])
  release()
  await messages(page).getByText("Read it.").waitFor()
  expect(await prompt(page).inputValue()).toBe("And then the second thing.")
  await page.getByText("two.csv").waitFor()
  expect(await page.locator(".composer").getByText("one.csv").count()).toBe(0)
  expect(await promptsOf(client, id)).toEqual([`${promptFor(script)}\n\n@uploads/one.csv`])
})

it("attachments are kept while another screen is shown", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await prompt(page).fill("Read it.")
  await page.getByLabel("Files to attach").setInputFiles([attached("one.csv")])
  await page.getByRole("link", { name: "Files", exact: true }).click()
  await page.getByText("The workspace is empty.", { exact: false }).waitFor()
  await page.getByRole("link", { name: "New session" }).click()
  await page.getByLabel("What should be done?").fill("And the other one.")
  await page.getByLabel("Files to attach").setInputFiles([attached("two.csv")])
  await page.evaluate(`location.hash = "#/sessions/${id}"`)
  await page.getByRole("button", { name: "Remove one.csv" }).waitFor()
  expect(await prompt(page).inputValue()).toBe("Read it.")
  await page.getByRole("link", { name: "New session" }).click()
  await page.getByRole("button", { name: "Remove two.csv" }).waitFor()
  expect(await page.getByLabel("What should be done?").inputValue()).toBe("And the other one.")
})

it("a prompt whose files are uploaded while its screen is left is sent once", async () => {
  const script = await scripted(api, "left", textAnswer("Read it."))
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  const { uploads, release } = await holdUploads(page)
  await prompt(page).fill(promptFor(script))
  await page.getByLabel("Files to attach").setInputFiles([attached("one.csv")])
  await prompt(page).press("Enter")
  await expect.poll(() => uploads.length).toBe(1)
  await page.getByRole("link", { name: "Events", exact: true }).click()
  await page.getByText("session:created").waitFor()
  await page.getByRole("link", { name: "Chat", exact: true }).click()
  await page.getByRole("button", { name: "Uploading…" }).waitFor()
  await prompt(page).press("Enter")
  release()
  await messages(page).getByText("Read it.").waitFor()
  expect(await prompt(page).inputValue()).toBe("")
  expect(await page.getByRole("list", { name: "Attachments" }).count()).toBe(0)
  expect(uploads).toHaveLength(1)
  expect(await promptsOf(client, id)).toEqual([`${promptFor(script)}\n\n@uploads/one.csv`])
})

it("a new session whose files are uploaded while its screen is left is created once, and does not navigate", async () => {
  const script = await scripted(api, "new-left", textAnswer("Read it."))
  const { page } = await openConsole({ at: "#/" })
  const { uploads, release } = await holdUploads(page)
  await page.getByLabel("What should be done?").fill(promptFor(script))
  await page.getByLabel("Files to attach").setInputFiles([attached("one.csv")])
  await page.getByRole("button", { name: "Start" }).click()
  await expect.poll(() => uploads.length).toBe(1)
  await page.getByRole("link", { name: "Recordings" }).click()
  await page.getByRole("heading", { name: "Recordings" }).waitFor()
  await page.getByRole("link", { name: "New session" }).click()
  await page.getByRole("button", { name: "Uploading…" }).waitFor()
  await page.getByRole("link", { name: "Recordings" }).click()
  await page.getByRole("heading", { name: "Recordings" }).waitFor()
  release()
  await expect.poll(async () => (await api.requests(script)).length).toBe(1)
  await page.getByRole("heading", { name: "Recordings" }).waitFor()
  await page.getByRole("link", { name: "New session" }).click()
  await page.getByRole("button", { name: "Start" }).waitFor()
  await expect.poll(() => page.getByLabel("What should be done?").inputValue()).toBe("")
  expect(uploads).toHaveLength(1)
})

it("a new session that is edited after a failed upload uses the edited form", async () => {
  const script = await scripted(api, "changed", textAnswer("Read it."))
  const { page } = await openConsole({ at: "#/" })
  const url = "**/files/workspace/uploads/*"
  const error = { type: "api_error", message: "The upload failed." }
  await page.route(url, (route) => route.fulfill({ status: 400, json: { type: "error", error } }))
  await page.getByLabel("What should be done?").fill(promptFor(script))
  await page.getByLabel("Files to attach").setInputFiles([attached("one.csv")])
  await page.getByRole("button", { name: "Start" }).click()
  await page.getByRole("alert").filter({ hasText: "The upload failed." }).waitFor()
  await page.unroute(url)
  await page.getByText("Title, agents, working directory, limits").click()
  await page.getByLabel("Working directory").fill("/workspace/app")
  await page.getByRole("button", { name: "Start" }).click()
  await messages(page).getByText("Read it.").waitFor()
  const id = new URL(page.url()).hash.split("/")[2]
  expect(await client.json("GET", `/v1/sessions/${id}`, {})).toMatchObject({ cwd: "/workspace/app" })
})

it("a suggestion for a word that was typed further is not chosen while the list for the new one is read", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const file = (name: string, type = "file") => ({
    path: `/workspace/${name}`,
    type,
    size: 1,
    modified_at: "",
    mode: 420,
  })
  const release = Promise.withResolvers<void>()
  await page.route("**/files?*", async (route) => {
    const isFolder = new URL(route.request().url()).searchParams.get("prefix") !== "/workspace"
    if (isFolder) await release.promise
    const files = isFolder ? [file("src/main.ts")] : [file("src", "directory"), file("src.md")]
    await route.fulfill({ json: { files, next_cursor: null, limits: {}, used: {} } })
  })
  await page.getByText("live", { exact: true }).waitFor()
  await prompt(page).pressSequentially("see @src")
  await page.getByRole("option", { name: /src\.md/ }).waitFor()
  await prompt(page).pressSequentially("/ma")
  await prompt(page).press("Tab")
  expect(await prompt(page).inputValue()).toBe("see @src/ma")
  await prompt(page).focus()
  await prompt(page).pressSequentially("i")
  release.resolve()
  await page.getByRole("option", { name: /main\.ts/ }).waitFor()
})

it("files are completed from all pages of their list", async () => {
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  const file = (name: string) => ({ path: `/workspace/${name}`, type: "file", size: 1, modified_at: "", mode: 420 })
  await page.route("**/files?*", (route) => {
    const isLast = new URL(route.request().url()).searchParams.has("cursor")
    const listed = isLast
      ? { files: [file("zebra.md")], next_cursor: null }
      : { files: [file("ant.md")], next_cursor: "2" }
    return route.fulfill({ json: { ...listed, limits: {}, used: {} } })
  })
  await page.getByText("live", { exact: true }).waitFor()
  await prompt(page).pressSequentially("see @zeb")
  await page.getByRole("option", { name: /zebra\.md/ }).waitFor()
  await prompt(page).press("Enter")
  await expect.poll(() => prompt(page).inputValue()).toBe("see @zebra.md ")
})

it("a long text that is pasted has its direction before the browser lays it out", async () => {
  const id = await client.createSession()
  const { page } = await openConsole({ at: "#/" })
  for (const at of ["#/", `#/sessions/${id}`]) {
    await page.evaluate(`location.hash = ${JSON.stringify(at)}`)
    const field = page.locator(at === "#/" ? ".new-session #prompt" : ".composer #prompt")
    await field.focus()
    for (const [letter, direction] of [
      ["a", "ltr"],
      ["\u05d0", "rtl"],
    ] as const) {
      await field.fill("")
      await expect.poll(() => field.getAttribute("dir")).toBe("auto")
      // When the field has the text, and before the console renders again.
      await page.evaluate(
        `addEventListener("input", ({ target }) => (globalThis.dir = target.dir), { once: true, capture: true })`,
      )
      await page.keyboard.insertText(letter.repeat(30_000))
      expect(await page.evaluate("globalThis.dir")).toBe(direction)
      await expect.poll(() => field.getAttribute("dir")).toBe(direction)
    }
  }
})
