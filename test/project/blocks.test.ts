// Every shell block in the documents is run by a test, or names a reason from a closed list why it is not; what such a block
// calls exists. The examples are run by a test as well.
import fs from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { blocksOfPage, type DocBlock, guidePages, NOT_RUN, OWN_TESTS } from "../support/server/doc-page.ts"
import { documents } from "./document-files.ts"

const ROOT = path.resolve(import.meta.dirname, "../..")
const scripts = (JSON.parse(fs.readFileSync(path.join(ROOT, "package.json"), "utf8")) as { scripts: object }).scripts

interface Placed extends DocBlock {
  readonly page: string
}

const blocks: ReadonlyArray<Placed> = documents
  .filter((name) => name.endsWith(".md"))
  .flatMap((page) => blocksOfPage(page).map((block) => ({ page, ...block })))

const placeOf = ({ page, language, name, text }: Placed): string => `${page}: ${language} ${name}: ${text.slice(0, 60)}`

const SHELL = "sh"
const CODE: ReadonlyArray<string> = ["js", "ts", "py", "python"]
/** Blocks that are shown and not run; a block without a language is the output of the previous one. */
const DATA: ReadonlyArray<string> = ["", "json", "yaml", "toml", "sql", "http", "text"]

const isReason = (name: string): boolean => Object.hasOwn(NOT_RUN, name)
const isFile = (name: string): boolean => /^[\w-]+\.\w+$/.test(name)

/** The project's programs that a block starts, each with whether it exists. */
const called = ({ text }: DocBlock): ReadonlyArray<readonly [call: string, exists: boolean]> => [
  ...Array.from(text.matchAll(/\bnpm (?:run )?(?:--silent )?([a-z:]+)/g), ([call, name = ""]): [string, boolean] => [
    call,
    ["ci", "init", "i", "install"].includes(name) || Object.hasOwn(scripts, name),
  ]),
  ...Array.from(text.matchAll(/\b((?:scripts|test|examples)\/[\w./-]*\w)/g), ([, file = ""]): [string, boolean] => [
    file,
    fs.existsSync(path.join(ROOT, file)),
  ]),
]

describe("a block of the documents", () => {
  it("is a shell, code or data block, with a language that tests know", () => {
    expect(blocks.length).toBeGreaterThan(150)
    const known = [SHELL, ...CODE, ...DATA]
    expect(blocks.filter(({ language }) => !known.includes(language)).map(placeOf)).toEqual([])
    const fences = documents
      .filter((name) => name.endsWith(".md"))
      .map((page) => ({
        page,
        count: fs.readFileSync(path.join(ROOT, page), "utf8").match(/^\s*(?:```|~~~)/gm)?.length,
      }))
    const counted = fences.map(({ page, count = 0 }) => [page, count / 2])
    expect(counted).toEqual(counted.map(([page]) => [page, blocks.filter((block) => block.page === page).length]))
  })

  it("that imports the package is on a page that says how to get it", () => {
    const pages = new Set(
      blocks.filter(({ text }) => /from "(?:perch\/|\.\/dist\/)/.test(text)).map(({ page }) => page),
    )
    expect(pages.size).toBeGreaterThan(5)
    const silent = [...pages].filter(
      (page) => !/npm run build|\[client package\]\(/.test(fs.readFileSync(path.join(ROOT, page), "utf8")),
    )
    expect(silent).toEqual([])
  })

  it("of a shell runs, or names one of the reasons why it can't", () => {
    const shell = blocks.filter(({ language }) => language === SHELL)
    expect(shell.filter(({ name }) => name !== "" && !isReason(name)).map(placeOf)).toEqual([])
    const run = new Set([...guidePages(), ...OWN_TESTS])
    expect(shell.filter(({ name, page }) => name === "" && !run.has(page)).map(placeOf)).toEqual([])
    expect(shell.filter(({ name }) => name === "").length).toBeGreaterThan(60)
  })

  it("of code is a file that runs, or names one of the reasons why it can't", () => {
    const code = blocks.filter(({ language }) => CODE.includes(language))
    expect(code.filter(({ name }) => !isFile(name) && !isReason(name)).map(placeOf)).toEqual([])
  })

  it("leaves no reason of the list unused", () => {
    expect(Object.keys(NOT_RUN).filter((reason) => !blocks.some(({ name }) => name === reason))).toEqual([])
  })

  it("calls scripts and files of the project that exist, also where it is not run", () => {
    const missing = blocks
      .filter(({ language }) => language === SHELL)
      .flatMap((block) => called(block).flatMap(([call, exists]) => (exists ? [] : [`${block.page}: ${call}`])))
    expect(missing).toEqual([])
  })
})

describe("an example", () => {
  it("is run by a test, and listed", () => {
    const test = fs.readFileSync(path.join(ROOT, "test/e2e/docs/examples.test.ts"), "utf8")
    const readme = fs.readFileSync(path.join(ROOT, "examples/README.md"), "utf8")
    const examples = fs.readdirSync(path.join(ROOT, "examples")).filter((name) => name !== "README.md")
    expect(examples.length).toBeGreaterThan(3)
    const forgotten = examples.filter(
      (name) => !test.includes(`"examples/${name}`) || !readme.includes(`examples/${name}`),
    )
    expect(forgotten).toEqual([])
  })
})
