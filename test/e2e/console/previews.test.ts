// What the screen Files shows of files whose names are those of images.
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"

const client = new PerchClient(inject("shared"))
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
