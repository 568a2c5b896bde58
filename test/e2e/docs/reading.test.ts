// A page of the documentation in a browser: on paper, in the theme of the system, by keyboard, and with the search.
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"

const open = async (at: string, width = 1280): Promise<Page> => {
  const { page } = await openConsole({ at, width, apiKey: null, colorScheme: "dark" })
  await page.getByRole("heading", { level: 1 }).waitFor()
  return page
}

it("is printed dark on white, also in the dark theme, with all of its code", async () => {
  const page = await open("docs/parts")
  await page.getByRole("button", { name: "Use the light theme" }).click()
  await page.getByRole("button", { name: "Use the dark theme" }).click()
  await page.emulateMedia({ media: "print", colorScheme: "dark" })
  await expect.poll(() => page.evaluate("getComputedStyle(document.documentElement).color")).toBe("rgb(28, 34, 38)")
  const cut = `[...document.querySelectorAll("pre")].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length`
  expect(await page.evaluate(cut)).toBe(0)
})

it("the menu of a narrow page closes when the focus leaves it for the text", async () => {
  const page = await open("docs/turns", 390)
  const menu = page.getByRole("button", { name: "Menu" })
  const navigation = page.getByRole("navigation", { name: "Guides" })
  await menu.press("Enter")
  await navigation.waitFor()
  const last = navigation.locator("summary, a").filter({ visible: true }).last()
  await last.focus()
  await last.press("Tab")
  await navigation.waitFor({ state: "hidden" })
  await expect.poll(() => menu.getAttribute("aria-expanded")).toBe("false")
})

it("finds a page by keyboard, and the chosen result differs with forced colours", async () => {
  const page = await open("docs/turns")
  await page.emulateMedia({ forcedColors: "active" })
  await page.keyboard.press("/")
  const field = page.getByRole("combobox", { name: "Search the docs" })
  await field.fill("revert conversation")
  const chosen = page.getByRole("option", { selected: true })
  await chosen.waitFor()
  expect(
    await chosen.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle),
  ).toBe("solid")
  await page.keyboard.press("Escape")
  await chosen.waitFor({ state: "hidden" })
  await page.keyboard.press("ArrowDown")
  await chosen.waitFor()
  const href = await chosen.getAttribute("data-href")
  await page.keyboard.press("Enter")
  await expect.poll(() => page.url()).toContain(href)
})
