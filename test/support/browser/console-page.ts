// A tab with the console, for tests: signed in, with a given width and colour scheme, and watched for forbidden behaviour.
// Invariant: a script injected by a text, a violation of the content policy or a page error fails the test.
import { buffer } from "node:stream/consumers"
import type { Page } from "playwright-core"
import { expect, inject, onTestFinished } from "vitest"
import { openTab } from "./tabs.ts"

export interface ConsoleOptions {
  /** The location: `#/sessions/…`. */
  readonly at?: string
  readonly colorScheme?: "light" | "dark"
  readonly width?: number
  readonly height?: number
  /** True: of a phone or a tablet, whose keyboard is on its screen. */
  readonly isTouch?: boolean
  /** If null, the tab is not signed in. */
  readonly apiKey?: string | null
  /** If true, the page's content policy is disabled, for tools that change the page. */
  readonly bypassesPolicy?: boolean
  /** True for a test that changes the clock, the network or the speed of its tab: all tabs of a context share them. */
  readonly hasOwnContext?: boolean
  /** A server other than the shared one. */
  readonly url?: string
}

export interface ConsolePage {
  readonly page: Page
  /** Everything reported so far: violations, errors of the page, dialogs. */
  readonly problems: ReadonlyArray<string>
}

export const openConsole = async (options: ConsoleOptions = {}): Promise<ConsolePage> => {
  const { at = "", apiKey = inject("shared").key, url = inject("shared").url } = options
  const { page, close } = await openTab(options)
  const problems: Array<string> = []
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`))
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("console", (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript/i.test(message.text()))
      problems.push(`policy: ${message.text()}`)
  })
  await page.exposeFunction("reportViolation", (text: string) => problems.push(`policy: ${text}`))
  await page.addInitScript({ content: initScript(apiKey) })
  onTestFinished(async ({ task }) => {
    // The page is part of the error, so that a report that only has the errors shows it too.
    const [error] = task.result?.errors ?? []
    if (error !== undefined) error.message += `\n${page.url()} when the test failed:\n${await shownText(page)}`
    await close(error !== undefined)
    expect(problems.join("\n")).toBe("")
  })
  await page.goto(`${url}/${at}`)
  return { page, problems }
}

const shownText = (page: Page): Promise<string> =>
  page.evaluate("(document.querySelector('main') ?? document.body).innerText").then(String, String)

/** A string, because these globals belong to the browser and not to the tests. */
const initScript = (apiKey: string | null): string => `
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
  window.reportViolation(\`\${violatedDirective} \${blockedURI} \${sample}\`))
${apiKey === null ? "" : `sessionStorage.setItem("perch.key", ${JSON.stringify(apiKey)})`}
`

/** The file that the browser saves after `start`: its name and its bytes. */
export const downloaded = async (
  page: Page,
  start: () => Promise<void>,
): Promise<{ readonly name: string; readonly bytes: Buffer }> => {
  const [download] = await Promise.all([page.waitForEvent("download"), start()])
  return { name: download.suggestedFilename(), bytes: await buffer(await download.createReadStream()) }
}
