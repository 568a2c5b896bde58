// A Markdown page of the project as a program: its blocks in order, run in one shell as a reader would paste them.
// A fence names what happens: `sh` runs; `js NAME` and `python NAME` are written to NAME and run; a fence without a language
// shows the output of the block before it; `sh REASON` and `js REASON` are not run, for a reason of `NOT_RUN`.
import { spawn } from "node:child_process"
import fs from "node:fs"
import path from "node:path"

const ROOT = path.resolve(import.meta.dirname, "../../..")

export interface DocBlock {
  readonly language: string
  /** The second word of the fence: a file's name or a label. */
  readonly name: string
  readonly text: string
}

export interface RunBlock extends DocBlock {
  /** What it printed to stdout and stderr. */
  readonly output: string
  /** The output that the page shows, if any. */
  readonly shown: string | undefined
}

/** The pages with tests of their own. */
export const OWN_TESTS: ReadonlyArray<string> = ["README.md", "docs/browser.md", "docs/production.md"]

/** The other pages of docs/ with a block that runs. */
export const guidePages = (): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .map((name) => `docs/${name.split(path.sep).join("/")}`)
    .filter((page) => page.endsWith(".md") && !OWN_TESTS.includes(page) && blocksOfPage(page).some(runs))
    .toSorted()

/** The fenced blocks of a page, in order. The path is relative to the project's folder. */
export const blocksOfPage = (page: string): ReadonlyArray<DocBlock> =>
  Array.from(
    fs.readFileSync(path.join(ROOT, page), "utf8").matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm),
    ([, language = "", name = "", text = ""]) => ({ language, name, text }),
  )

/** Why a block is not run as a reader would paste it. Each key is the second word of a fence. */
export const NOT_RUN = {
  deploy:
    "needs a Cloudflare account: test/behaviour/deploy and test/scripts/deploy run the commands against a recorded API",
  start:
    "runs until it is stopped: every e2e test starts a server so, and test/e2e/restarts/start.test.ts as a reader does",
  doctor: "may ask the network: test/scripts/doctor runs each check",
  suite: "runs the tests themselves, and the network of `npm ci`",
  registry: "installs the packages of others, and tests reach nothing beyond loopback",
  rewrites: "writes files of the clone: test/http/openapi/document.test.ts compares what it writes",
  answer: "answers a question that the offline model does not ask: test/e2e/clients/routed-runs.test.ts",
  verifier: "is a function for an app: test/behaviour/hooks/webhook-docs.test.ts runs it",
  part: "is a part of an app, with values that the app has",
} as const

const PROGRAMS: Readonly<Record<string, string>> = { js: "node", python: "python3" }

const runs = ({ language, name }: DocBlock): boolean =>
  language === "sh" ? name === "" : PROGRAMS[language] !== undefined && name !== "" && !Object.hasOwn(NOT_RUN, name)

/** The shell command of a block, or undefined if it is not run. */
const commandOf = (block: DocBlock, folder: string): string | undefined => {
  const { language, name, text } = block
  if (!runs(block)) return undefined
  const program = PROGRAMS[language]
  if (program === undefined) return text
  fs.writeFileSync(path.join(folder, name), text)
  // The test also passes on a machine without Python, which the project does not need.
  return language === "python" ? `if command -v python3 >/dev/null; then python3 ${name}; fi` : `${program} ${name}`
}

const END = "-- end of block --"

/** Otherwise npm asks its registry for a newer version of itself. */
const ENVIRONMENT = { LANG: "C.UTF-8", npm_config_update_notifier: "false" }

/** Runs a page's blocks in one bash, in `folder`, against the server at `url`. A failing block ends it. */
export const runPage = async (
  page: string,
  { url, folder, env }: { url: string; folder: string; env: Readonly<Record<string, string>> },
): Promise<{ readonly code: number | null; readonly blocks: ReadonlyArray<RunBlock> }> => {
  const local = (text: string) => text.replaceAll("http://127.0.0.1:8787", url)
  const blocks = blocksOfPage(page).map((block) => ({ ...block, text: local(block.text) }))
  const runnable = blocks.flatMap((block, at) => {
    const command = commandOf(block, folder)
    const next = blocks[at + 1]
    const shown = next?.language === "" ? next.text : undefined
    return command === undefined ? [] : [{ ...block, command, shown }]
  })
  const script = runnable.map(({ command }) => `${command}\nprintf '\\n${END}\\n'\n`).join("")
  const options = { cwd: folder, env: { ...ENVIRONMENT, PATH: process.env.PATH, HOME: folder, ...env } }
  const bash = spawn("bash", ["-e", "-c", `exec 2>&1\n${script}`], { ...options, stdio: ["ignore", "pipe", "inherit"] })
  let printed = ""
  bash.stdout.setEncoding("utf8").on("data", (chunk: string) => (printed += chunk))
  const code = await new Promise<number | null>((resolve) => bash.once("close", resolve))
  const outputs = printed.split(`\n${END}\n`)
  return { code, blocks: runnable.map((block, at) => ({ ...block, output: outputs[at] ?? "" })) }
}

/** Text that changes between runs: ids, and what a page elides with `…`. */
const CHANGES = /…|toolu_\w+|[0-9a-f]{8}-[0-9a-f-]*/
const flat = (text: string): string => text.replace(/\s+/g, " ").trim()

/** The first part of a shown output that the real one lacks at its position, or undefined if all are there. */
export const missingPiece = (shown: string, output: string): string | undefined => {
  const real = flat(output)
  let from = 0
  for (const piece of flat(shown).split(CHANGES)) {
    const wanted = piece.trim()
    const at = real.indexOf(wanted, from)
    if (at < 0) return wanted
    from = at + wanted.length
  }
  return undefined
}
