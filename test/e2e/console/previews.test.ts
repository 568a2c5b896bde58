// What the console shows of images and of files that have their names, and how their text is edited.
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const client = new PerchClient(inject("shared"))
const api = new ApiLog(inject("shared").apiUrl)
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

it("a file that is no image despite its name is shown by its text or its bytes, and its text can be edited", async () => {
  const id = await client.createSession({})
  const files = {
    "pixel.png": Uint8Array.from(Buffer.from(PIXEL, "base64")),
    "broken.png": Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0),
    "pointer.png": "version 1\n",
  }
  const put = (name: string, body: string | Uint8Array<ArrayBuffer>) =>
    client.request("PUT", `/v1/sessions/${id}/files/workspace/${name}`, { body })
  for (const [name, body] of Object.entries(files)) await put(name, body)
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  // Changes are reported while the page is connected.
  await page.getByText("live", { exact: true }).waitFor()
  const opened = async (name: string) => {
    await page.getByRole("treeitem", { name }).click()
    return page.getByRole("region", { name: `File /workspace/${name}` })
  }
  const image = (await opened("pixel.png")).getByRole("img", { name: "pixel.png" })
  await expect.poll(() => image.getAttribute("src")).toMatch(/^blob:/)
  await (await opened("broken.png")).getByText("89 50 4e 47 00", { exact: false }).waitFor()

  const pointer = await opened("pointer.png")
  const text = pointer.locator(".cm-content")
  await text.click()
  await page.keyboard.press("Control+End")
  await page.keyboard.type("mine")
  await pointer.getByText("not saved").waitFor()
  await put("pointer.png", files["pixel.png"])
  await page.getByText("While you edited this file, it was replaced", { exact: false }).waitFor()
  await page.getByRole("button", { name: "Keep mine" }).click()
  await pointer.getByText("not saved").waitFor({ state: "detached" })
  const saved = await client.request("GET", `/v1/sessions/${id}/files/workspace/pointer.png`)
  expect(await saved.text()).toBe("version 1\nmine")
})

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>'

it("an image that is text can be edited as text, and shown again", async () => {
  const id = await client.createSession({})
  const put = (body: string) => client.request("PUT", `/v1/sessions/${id}/files/workspace/logo.svg`, { body })
  await put(SVG)
  const { page } = await openConsole({ at: `#/sessions/${id}/files` })
  await page.getByText("live", { exact: true }).waitFor()
  await page.getByRole("treeitem", { name: "logo.svg" }).click()
  const file = page.getByRole("region", { name: "File /workspace/logo.svg" })
  const image = file.getByRole("img", { name: "logo.svg" })
  await image.waitFor()
  await file.getByRole("button", { name: "Edit the text" }).focus()
  await page.keyboard.press("Enter")
  const text = file.locator(".cm-content")
  await text.filter({ hasText: 'fill="red"' }).waitFor()
  const back = file.getByRole("button", { name: "Show the image" })
  await expect.poll(() => back.evaluate((button) => button.matches(":focus"))).toBe(true)

  // A change by another client is shown as text too.
  await put(SVG.replace("red", "blue"))
  await text.filter({ hasText: 'fill="blue"' }).waitFor()
  await text.click()
  await page.keyboard.press("Control+End")
  await page.keyboard.type("<!-- mine -->")
  await file.getByText("not saved").waitFor()
  expect(await back.isDisabled()).toBe(true)
  await page.keyboard.press("Control+s")
  await file.getByText("not saved").waitFor({ state: "detached" })
  await back.click()
  await image.waitFor()
  const saved = await client.request("GET", `/v1/sessions/${id}/files/workspace/logo.svg`)
  expect(await saved.text()).toBe(`${SVG.replace("red", "blue")}<!-- mine -->`)
})

it("an image that a tool has read is visible at once, and the end of a background task is described", async () => {
  const script = scriptName("image")
  await api.set(script, [
    { content: [call("Read", { file_path: "/workspace/pixel.png" })] },
    { content: [call("Bash", { command: "echo started", run_in_background: true })] },
    textAnswer("It is green."),
  ])
  const id = await client.createSession({ permissionMode: "bypassPermissions" })
  const body = Uint8Array.from(Buffer.from(PIXEL, "base64"))
  await client.request("PUT", `/v1/sessions/${id}/files/workspace/pixel.png`, { body })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await client.query(id, promptFor(script))
  const log = page.getByRole("log", { name: "Messages" })
  await log.getByRole("img").waitFor()
  await log.getByRole("button", { name: /^Added for the model: Background command .* succeeded/ }).waitFor()
})
