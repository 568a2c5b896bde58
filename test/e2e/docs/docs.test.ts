// The README and the guides, pasted block after block by a new user: every command succeeds and prints what the page shows.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { buildClient } from "../../../scripts/build-client.mjs"
import { buildSchemas, buildSignals } from "../../../scripts/build-schemas.mjs"
import { PerchClient } from "../../support/server/client.ts"
import { blocksOfPage, guidePages, missingPiece, runPage } from "../../support/server/doc-page.ts"
import { type PerchServer, startServer } from "../../support/server/server.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
/** These pages show whole logs, which are longer for a tenant that has stored something, so no other page may run before. */
const FIRST = ["docs/sessions.md", "docs/turns.md", "docs/streams.md"]
const GUIDES = [...FIRST, ...guidePages().filter((page) => !FIRST.includes(page))]

let server: PerchServer
let folder: string

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-docs-"))
  fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"))
  fs.symlinkSync(path.join(ROOT, "scripts"), path.join(folder, "scripts"))
  // The package's own name resolves to its exports, as in a clone.
  fs.copyFileSync(path.join(ROOT, "package.json"), path.join(folder, "package.json"))
  ;[server] = await Promise.all([
    startServer(),
    buildClient(path.join(folder, "dist/client"), { types: false }),
    buildSchemas(path.join(folder, "dist/schemas"), { types: false }),
    buildSignals(path.join(folder, "dist/signals"), { types: false }),
  ])
})

afterAll(async () => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  await server?.dispose()
  fs.rmSync(folder, { recursive: true, force: true })
})

const paste = async (page: string, env: Readonly<Record<string, string>>) => {
  const { code, blocks } = await runPage(page, { url: server.url, folder, env: { PERCH_URL: server.url, ...env } })
  for (const { text, output, shown } of blocks) {
    expect(output, text).not.toMatch(/"type":"error"|command not found|curl: \(/)
    if (shown !== undefined) expect(missingPiece(shown, output), `${text}\nprinted\n${output}`).toBeUndefined()
  }
  expect(code, blocks.at(-1)?.output).toBe(0)
  return blocks
}

describe("the README", () => {
  it.each([
    ["with the key that the first start wrote", true],
    ["with a root key of one's own", false],
  ])("works block after block %s", async (_, written) => {
    const file = path.join(folder, ".dev.vars")
    fs.rmSync(file, { force: true })
    if (written) fs.writeFileSync(file, `# Settings\nPERCH_ROOT_KEY="${server.key}"\nPERCH_LOG=\n`)
    const blocks = await paste("README.md", written ? {} : { PERCH_ROOT_KEY: server.key })
    const printed = blocks.map(({ output }) => output)
    expect(blocks.length).toBe(5)
    expect(printed[1]).toContain("hello from Perch")
    expect(printed[1]).toContain('"subtype":"success"')
    expect(printed[3]).toMatch(/^success [0-9a-f-]{36} I wrote/)
  })

  it("creates on Cloudflare what wrangler.toml names, and the secrets that the configuration lists", () => {
    const deploy = blocksOfPage("docs/deploy.md").find(({ text }) => text.includes("d1 create"))!.text
    const settings = fs.readFileSync(path.join(ROOT, "wrangler.toml"), "utf8")
    const named = (pattern: RegExp, text: string) => [...new Set(Array.from(text.matchAll(pattern), ([, one]) => one))]
    expect(named(/queues create (\S+)/g, deploy)).toEqual(named(/^queue = "(.*)"/gm, settings))
    expect(named(/d1 create (\S+)/g, deploy)).toEqual(named(/^database_name = "(.*)"/gm, settings))
    expect(named(/migrations apply (\S+)/g, deploy)).toEqual(
      named(/^\[\[d1_databases\]\]\nbinding = "(.*)"/gm, settings),
    )
    const table = fs.readFileSync(path.join(ROOT, "README.md"), "utf8").split("## Configuration")[1]
    for (const secret of named(/secret put (\S+)/g, deploy)) expect(table).toContain(`\`${secret}\``)
  })
})

it.each(GUIDES)("%s works block after block", async (page) => {
  const blocks = await paste(page, { PERCH_KEY: server.key })
  expect(blocks.length).toBeGreaterThan(0)
})

interface Page {
  readonly converse: (
    session: unknown,
    prompts: AsyncIterable<unknown>,
    onMessage: (message: { readonly type: string }, place: number | undefined) => void,
    shown?: number,
  ) => { readonly reading: Promise<void>; readonly close: () => void }
  readonly promptOf: (text: string) => unknown
}

it("docs/browser.md has a page that chats, asks and resumes where it was", async () => {
  const blocks = await paste("docs/browser.md", { PERCH_KEY: server.key })
  expect(blocks).toHaveLength(2)
  const load = (file: string) => import(pathToFileURL(path.join(folder, file)).href) as Promise<unknown>
  vi.stubEnv("PERCH_KEY", server.key)
  const { openForPage } = (await load("ticket.mjs")) as { openForPage: () => Promise<{ sessionId: string }> }
  const { converse, promptOf } = (await load("page.js")) as Page
  const asked: Array<unknown> = []
  vi.stubGlobal("confirm", (words: string) => asked.push(words) > 0)
  const session = await openForPage()
  const talk = async (text: string, shown?: number) => {
    const ended = Promise.withResolvers<void>()
    const prompts = (async function* () {
      yield promptOf(text)
      await ended.promise
    })()
    const types: Array<string> = []
    let place: number | undefined
    const onMessage = ({ type }: { readonly type: string }, at: number | undefined) => {
      types.push(type)
      place = at
      if (type === "result") ended.resolve()
    }
    const { reading, close } = converse(session, prompts, onMessage, shown)
    await ended.promise
    close()
    await reading
    return { types, place }
  }
  const first = await talk("Create page.txt with the text: from a page")
  expect([first.types.includes("result"), asked]).toEqual([true, ["May it use Write?"]])
  const second = await talk("Read page.txt", first.place)
  expect(second.types.filter((type) => type === "result")).toHaveLength(1)
  expect(second.place).toBeGreaterThan(first.place!)
  const file = await new PerchClient(server).getFile(session.sessionId, "/workspace/page.txt")
  expect(file).toBe("from a page")
})
