// What the Worker evaluates at its start: the modules that `src/worker.ts` reaches by static imports.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"

const SRC = path.resolve(import.meta.dirname, "../../src")

/** Static imports of values. `import { type A }` counts too: the bundler keeps it for its side effects. */
const IMPORT = /^(?:import|export) (?!type\b)(?:[^"';]*? from )?"([^"]+)"/gm

/** Packages that files import statically, with the file. */
const packagesFrom = (entry: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const files = [entry]
  for (const file of files) {
    for (const [, target = ""] of fs.readFileSync(file, "utf8").matchAll(IMPORT)) {
      if (!target.startsWith(".")) found.set(target, path.relative(SRC, file))
      else if (!files.includes(path.resolve(path.dirname(file), target)))
        files.push(path.resolve(path.dirname(file), target))
    }
  }
  return found
}

it("a Worker starts without the shell's interpreter and without the MCP SDK", () => {
  const packages = packagesFrom(path.join(SRC, "worker.ts"))
  expect(packages.get("hono")).toBe("http/app.ts")
  const late = [...packages].filter(
    ([name]) => name.startsWith("just-bash") || name.startsWith("@modelcontextprotocol/"),
  )
  expect(late).toEqual([])
})
