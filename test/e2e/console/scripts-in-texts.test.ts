// Texts that would run a script, wherever the console shows texts: prompts, answers, outputs, errors, titles, names of files and
// files themselves. openConsole() fails a test for a violation of the content policy, a dialog and an error of the page.
import { expect, inject, it } from "vitest"
import type { Page } from "playwright-core"
import { openConsole } from "../../support/browser/console-page.ts"
import { ownTenant } from "../../support/browser/own-tenant.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { FILES, PAYLOADS } from "./script-payloads.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const ALL = PAYLOADS.join("\n\n")

const sessionOf = async (title: string, of = client): Promise<string> => {
  const json = { title, options: { permissionMode: "bypassPermissions" } }
  const { id } = await of.json<{ readonly id: string }>("POST", "/v1/sessions", { json, status: 201 })
  return id
}

/** The script answers the prompt; the turn of an error ends in its result too. */
const ask = async (id: string, turns: ReadonlyArray<unknown>, more = ""): Promise<void> => {
  const name = scriptName("payloads")
  await api.set(name, turns)
  await client.json("POST", `/v1/sessions/${id}/query`, {
    json: { prompt: `${promptFor(name)}\n\n${more}` },
    status: 200,
  })
}

/** Expands everything that is collapsed, as a reader would. */
const unfold = async (page: Page): Promise<void> => {
  await page.evaluate(`document.querySelectorAll("details:not([open]) > summary").forEach((one) => one.click())`)
  await page.evaluate(
    `document.querySelectorAll("main [aria-expanded=false]:not([aria-haspopup])").forEach((one) => one.click())`,
  )
}

/** Events that scripts in texts listen for. */
const provoke = async (page: Page): Promise<void> => {
  await page.evaluate(`document.querySelectorAll("main *").forEach((one) => {
    for (const type of ["mouseover", "focus", "toggle", "load", "error"]) one.dispatchEvent(new Event(type))
  })`)
}

const expectNothingRan = async (page: Page): Promise<void> => {
  await unfold(page)
  await provoke(page)
  expect(await page.evaluate("window.pwned")).toBeUndefined()
  const links = `Array.from(document.querySelectorAll("[href], [src], [action], [formaction]"), (one) =>
    ["href", "src", "action", "formaction"].map((name) => one.getAttribute(name)).filter(Boolean)).flat()`
  const targets = (await page.evaluate(links)) as ReadonlyArray<string>
  expect(targets.filter((target) => !/^(#|\/|\.\/|https?:|mailto:|blob:|data:(,|image\/))/.test(target))).toEqual([])
  expect(await page.locator("main iframe, main object, main embed, main script, main form[action]").count()).toBe(0)
}

it(`shows ${PAYLOADS.length} texts as texts: in prompts, answers, thinking, outputs and errors`, async () => {
  const id = await sessionOf(`<img src=x onerror=window.pwned=1> ${crypto.randomUUID()}`)
  await ask(id, [textAnswer(ALL)], ALL)
  const write = call("Write", { file_path: "/workspace/all.txt", content: ALL })
  const read = call("Read", { file_path: "/workspace/all.txt" })
  const bash = call("Bash", {
    command: "cat /workspace/all.txt; cat /workspace/all.txt >&2; false",
    description: PAYLOADS[0],
  })
  const odd = call("Grep", { pattern: "<img src=x onerror=window.pwned=1>", path: "/workspace" })
  await ask(id, [{ content: [write] }, { content: [read, bash, odd] }, textAnswer("Done.")])
  await ask(id, [{ error: { status: 400, type: "invalid_request_error", message: ALL.slice(0, 3000) } }])
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByRole("log", { name: "Messages" }).getByText("Done.", { exact: true }).waitFor()
  await expectNothingRan(page)
  await page.getByRole("log", { name: "Messages" }).hover()
  for (let turn = 0; turn < 12; turn += 1) {
    await page.mouse.wheel(0, -3000)
    await expectNothingRan(page)
  }
  await expect.poll(() => page.locator("main").innerText()).toContain("<script>")
  for (const screen of ["events", "time", "costs"]) {
    await page.goto(`${shared.url}/#/sessions/${id}/${screen}`)
    await page.locator(`nav.tabs:has(a[aria-current="page"][href$="${screen}"]) ~ section`).first().waitFor()
    await expect.poll(() => page.locator("main .loading").count()).toBe(0)
    await expectNothingRan(page)
  }
})

it("shows files and their names as texts, and no file as a document", async () => {
  const id = await sessionOf("Files with scripts")
  for (const [name, content] of FILES) await client.putFile(id, `/workspace/${name}`, content)
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  for (const [name] of FILES) {
    // The folder was expanded with everything else that was collapsed.
    const shown = name.split("/").at(-1) ?? name
    await page.getByRole("treeitem", { name: shown }).first().click()
    await page.getByRole("heading", { name: shown }).first().waitFor()
    await expectNothingRan(page)
  }
})

it("shows characters that reverse the direction of titles and of names of files by their code points", async () => {
  const own = await ownTenant()
  const id = await sessionOf("Reversed \u202Egnp.exe", own)
  const name = scriptName("reversed")
  await api.set(name, [
    { content: [call("Write", { file_path: "/workspace/a\u202Etxt.sh", content: "x" })] },
    textAnswer("Done."),
  ])
  await own.query(id, promptFor(name))
  const { page } = await openConsole({ at: `#/sessions/${id}`, apiKey: own.key })
  await page.getByRole("heading", { name: "Reversed ⟨U+202E⟩gnp.exe" }).waitFor()
  await page.getByRole("link", { name: "Reversed ⟨U+202E⟩gnp.exe" }).waitFor()
  await page.getByRole("group", { name: "Changes in /workspace/a⟨U+202E⟩txt.sh" }).waitFor()
  const prompt = page.getByRole("textbox", { name: "Prompt" })
  await prompt.pressSequentially("@a")
  await page.getByRole("option", { name: "@a⟨U+202E⟩txt.sh" }).click()
  // The mention names the file itself.
  await expect.poll(() => prompt.inputValue()).toBe("@a\u202Etxt.sh ")
  await page.evaluate(`location.hash = "#/sessions/${id}/files"`)
  await page.getByTitle("/workspace/a⟨U+202E⟩txt.sh").waitFor()
})
