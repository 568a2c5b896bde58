// axe over each screen, in light, dark and at phone width: nothing serious or critical.
import fs from "node:fs"
import { createRequire } from "node:module"
import { expect, inject, it } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"

const shared = inject("shared")
const client = new PerchClient(shared)
const AXE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

const session = async (): Promise<string> => {
  const json = { title: "For axe", options: { permissionMode: "bypassPermissions" } }
  const { id } = (await client.json("POST", "/v1/sessions", { json, status: 201 })) as { readonly id: string }
  const prompt = "Create notes.txt with the text: hello. Then read notes.txt."
  await client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt }, status: 200 })
  return id
}

const opened = session()
const LOOKS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 1280 },
  { colorScheme: "light", width: 390 },
] as const

const PLACES = ["chat", "files", "time", "events", "costs"].map((screen) => `session ${screen}`)
const PAGES = ["new", "costs", "recordings", "tenants", "hooks"]

it.each(LOOKS)("finds nothing serious: $colorScheme, $width px", async (look) => {
  const id = await opened
  // axe changes the page in ways that its policy forbids.
  const { page } = await openConsole({ ...look, at: "#/", bypassesPolicy: true })
  await page.getByRole("main").waitFor()
  const found: Array<string> = []
  for (const place of [...PLACES, ...PAGES]) {
    const hash = place.startsWith("session ")
      ? `#/sessions/${id}/${place.slice(8)}`
      : `#/${place === "new" ? "" : place}`
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    const isShown = `location.hash === ${JSON.stringify(hash)} && document.querySelector("main .loading, main [aria-busy=true]") === null`
    await expect.poll(() => page.evaluate(isShown)).toBe(true)
    await page.evaluate(AXE)
    const run = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)`
    const violations = (await page.evaluate(run)) as ReadonlyArray<Violation>
    for (const { id: rule, impact, nodes } of violations) {
      if (impact !== "serious" && impact !== "critical") continue
      found.push(
        ...nodes.map(({ html, failureSummary }) => `${place}: ${rule}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
      )
    }
  }
  expect(found).toEqual([])
})
