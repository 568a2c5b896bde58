// Opens tabs in a Chromium of this process, and closes them.
// Tabs share a context if they can: all pages of a context have one renderer process, which compiles the console's scripts once.
// With a context for each tab, starting its process and compiling the scripts again took longer than most tests.
// Invariant: a tab finds no storage of the tabs before it.
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { inject } from "vitest"

export interface TabOptions {
  readonly colorScheme?: "light" | "dark"
  readonly width?: number
  readonly height?: number
  /** True: of a phone or a tablet, whose keyboard is on its screen. */
  readonly isTouch?: boolean
  /** If true, the content policy of pages is disabled. */
  readonly bypassesPolicy?: boolean
  readonly hasOwnContext?: boolean
}

export interface Tab {
  readonly page: Page
  /** After a failure, the tab may have left its renderer process busy: the shared context is closed with it. */
  readonly close: (hasFailed: boolean) => Promise<void>
}

const ACTION_WITHIN_MS = 30_000

let connected: Promise<Browser> | undefined

const connect = async (): Promise<Browser> => {
  const answer = await fetch(inject("browser"))
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return chromium.connect(text)
}

/** The shared context, with a page that keeps its renderer process alive and opens the others. */
let shared: Promise<{ readonly context: BrowserContext; readonly opener: Page }> | undefined

const shareContext = async (browser: Browser) => {
  const context = await browser.newContext()
  const opener = await context.newPage()
  await opener.goto(`${inject("shared").url}/health`)
  return { context, opener }
}

/** Routes whose answers a test replaces may still be in use when the test ends. */
const endRoutes = (page: Page): Promise<void> => page.unrouteAll({ behavior: "ignoreErrors" })

const openSharedTab = async (browser: Browser): Promise<Tab> => {
  shared ??= shareContext(browser)
  const { context, opener } = await shared
  const [page] = await Promise.all([opener.waitForEvent("popup"), opener.evaluate("void open('about:blank')")])
  const close = async (hasFailed: boolean) => {
    await endRoutes(page)
    if (hasFailed) {
      shared = undefined
      return context.close()
    }
    await page.close()
    await opener.evaluate("localStorage.clear()")
  }
  return { page, close }
}

const openOwnTab = async (browser: Browser, { isTouch = false, bypassesPolicy = false }: TabOptions): Promise<Tab> => {
  const context = await browser.newContext({ isMobile: isTouch, hasTouch: isTouch, bypassCSP: bypassesPolicy })
  const page = await context.newPage()
  const close = async () => {
    await endRoutes(page)
    await context.close()
  }
  return { page, close }
}

export const openTab = async (options: TabOptions): Promise<Tab> => {
  const { colorScheme = "light", width = 1280, height = 900 } = options
  connected ??= connect()
  const browser = await connected
  const isOwn = options.hasOwnContext || options.isTouch || options.bypassesPolicy
  const tab = await (isOwn ? openOwnTab(browser, options) : openSharedTab(browser))
  tab.page.setDefaultTimeout(ACTION_WITHIN_MS)
  await tab.page.setViewportSize({ width, height })
  await tab.page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
  return tab
}
