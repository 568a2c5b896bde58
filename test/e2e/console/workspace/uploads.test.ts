// Uploads of many files and of folders into the workspace, in a browser.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import type { Page } from "playwright-core"
import { expect, inject, it, onTestFinished } from "vitest"
import { openConsole } from "../../../support/browser/console-page.ts"
import { PerchClient } from "../../../support/server/client.ts"

const client = new PerchClient(inject("shared"))
const json = { type: "error", error: { type: "request_too_large", message: "It is too large." } }

/** Counts the files that are written at the same time; refuses those in `refused`. */
const watchWrites = async (page: Page, refused: ReadonlySet<string>) => {
  const seen = { running: 0, most: 0 }
  await page.route(/\/files\/workspace\//, async (route) => {
    if (route.request().method() !== "PUT") return route.fallback()
    const name = route.request().url().split("/").at(-1) ?? ""
    seen.running += 1
    seen.most = Math.max(seen.most, seen.running)
    const answer = refused.has(name) ? { status: 413, json } : { response: await route.fetch() }
    seen.running -= 1
    return route.fulfill(answer)
  })
  return seen
}

const openFiles = async (page: Page): Promise<string> => {
  const id = await client.createSession()
  await page.evaluate(`location.hash = "#/sessions/${id}/files"`)
  await page.getByLabel("Files to upload").waitFor({ state: "attached" })
  return id
}

const pathsOf = async (id: string): Promise<ReadonlyArray<string>> => {
  const { files } = await client.json<{ readonly files: ReadonlyArray<{ readonly path: string }> }>(
    "GET",
    `/v1/sessions/${id}/files?limit=1000`,
    {},
  )
  return files.map((file) => file.path)
}

const uploads = (page: Page) => page.getByRole("region", { name: "Uploads" })

const named = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${`${index}`.padStart(3, "0")}.txt`,
    mimeType: "text/plain",
    buffer: Buffer.from(`${prefix} ${index}`),
  }))

it("many files are written three at a time, also when more are added; a refused one is written at a retry", async () => {
  const { page } = await openConsole({ at: "#/", width: 390 })
  const id = await openFiles(page)
  const refused = new Set(["first-030.txt"])
  const seen = await watchWrites(page, refused)
  await page.getByLabel("Files to upload").setInputFiles(named("first", 60))
  await page.getByLabel("Files to upload").setInputFiles(named("second", 20))
  await uploads(page).getByText("79 of 80 uploaded").waitFor()
  await uploads(page).getByText("/workspace/first-030.txt: It is too large.").waitFor()
  expect(seen.most).toBe(3)
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390)
  refused.clear()
  await uploads(page).getByRole("button", { name: "Try failed again" }).press("Enter")
  await uploads(page).getByText("80 of 80 uploaded").waitFor()
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main")
  await uploads(page).getByRole("button", { name: "Close" }).press("Enter")
  await expect.poll(() => uploads(page).count()).toBe(0)
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main")
  const paths = [...named("first", 60), ...named("second", 20)].map(({ name }) => `/workspace/${name}`)
  expect((await pathsOf(id)).toSorted()).toEqual(paths)
})

/** Drops a folder with a file, one that the browser can't read, and a folder that it can't list. */
const DROP = `(() => {
  const file = (name, content) => ({
    name,
    isFile: true,
    file: (resolve, reject) =>
      content === null ? reject(new DOMException("It was removed.")) : resolve(new File([content], name)),
  })
  const folder = (name, inner) => ({
    name,
    isFile: false,
    createReader: () => {
      const batches = [inner ?? [], []]
      return {
        readEntries: (resolve, reject) =>
          inner === null ? reject(new DOMException("No access.")) : resolve(batches.shift()),
      }
    },
  })
  const top = folder("top", [file("a.txt", "a"), file("b.txt", null), folder("closed", null), file("c.txt", "c")])
  const event = new Event("drop", { bubbles: true, cancelable: true })
  Object.defineProperty(event, "dataTransfer", { value: { items: [{ webkitGetAsEntry: () => top }], files: [] } })
  document.querySelector(".files-panel").dispatchEvent(event)
})()`

it("of a dropped folder, what can be read is uploaded, and the rest is named", async () => {
  const { page } = await openConsole({ at: "#/" })
  const id = await openFiles(page)
  await page.evaluate(DROP)
  await uploads(page).getByText("2 of 4 uploaded").waitFor()
  await uploads(page).getByText("/workspace/top/b.txt: The browser could not read it. It was removed.").waitFor()
  await uploads(page).getByText("/workspace/top/closed: The browser could not read it. No access.").waitFor()
  await uploads(page).getByRole("button", { name: "Try failed again" }).click()
  await uploads(page).getByText("2 of 4 uploaded").waitFor()
  expect((await pathsOf(id)).toSorted()).toEqual(["/workspace/top/a.txt", "/workspace/top/c.txt"])
})

it("an upload of many files is announced when it begins and when it ends", async () => {
  const { page } = await openConsole({ at: "#/" })
  await openFiles(page)
  const refused = new Set(["first-010.txt"])
  await watchWrites(page, refused)
  await page.evaluate(`{
    globalThis.announced = []
    new MutationObserver(() => {
      const text = document.querySelector("section.uploads [role=status]")?.innerText.trim()
      if (text !== undefined && text !== announced.at(-1)) announced.push(text)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  }`)
  await page.getByLabel("Files to upload").setInputFiles(named("first", 40))
  await uploads(page).getByText("39 of 40 uploaded").waitFor()
  await uploads(page).getByRole("button", { name: "Try failed again" }).waitFor()
  expect(await page.evaluate("announced")).toEqual(["Uploading 40 files", "Upload ended: 39 files, 1 failed"])
})

it("a folder is uploaded with its folders, and with names that have special characters", async () => {
  const { page } = await openConsole({ at: "#/" })
  const id = await openFiles(page)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "folder-"))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  fs.mkdirSync(path.join(folder, "top/inner"), { recursive: true })
  const names = ["top/a.txt", "top/inner/b #1%.txt", "top/inner/empty.txt"]
  for (const name of names) fs.writeFileSync(path.join(folder, name), name.includes("empty") ? "" : name)
  await page.getByLabel("Folder to upload").setInputFiles(path.join(folder, "top"))
  await uploads(page).getByText("3 of 3 uploaded").waitFor()
  expect((await pathsOf(id)).toSorted()).toEqual(names.map((name) => `/workspace/${name}`))
})
