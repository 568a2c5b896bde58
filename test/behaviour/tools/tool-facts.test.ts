import { DEFAULT_WAIT_MS } from "../../../src/tools/bash/task-output.ts"
import { describe, expect, it } from "vitest"
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from "../../../src/tools/bash/run-script.ts"
import { MAX_FILES } from "../../../src/tools/files/glob.ts"
import { DEFAULT_LIMIT } from "../../../src/tools/files/grep.ts"
import { MAX_PAGES_ASKED } from "../../../src/tools/files/pdf-file.ts"
import { builtInTools, toolByName } from "../../../src/tools/registry.ts"

interface Described {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Described>>
  readonly items?: Described
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly anyOf?: ReadonlyArray<Described>
}

const below = (schema: Described): ReadonlyArray<Described> => [
  schema,
  ...Object.values(schema.properties ?? {}).flatMap(below),
  ...(schema.items === undefined ? [] : below(schema.items)),
  ...(schema.anyOf ?? []).flatMap(below),
]

const named = builtInTools.map((tool) => [tool.name, tool] as const)

/** The limits that descriptions name, from the code. */
const LIMITS: Readonly<Record<string, ReadonlyArray<number>>> = {
  Read: [MAX_PAGES_ASKED],
  Glob: [MAX_FILES],
  Grep: [DEFAULT_LIMIT],
  Bash: [DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS],
  TaskOutput: [DEFAULT_WAIT_MS],
  // The minutes for which a page is cached.
  WebFetch: [15],
}

describe.each(named)("the description of %s", (name, tool) => {
  const parts = below(tool.inputSchema as Described)
  const text = [tool.description, ...parts.map(({ description = "" }) => description)].join("\n")

  it("names only parameters and values that its schema has", () => {
    const known = new Set<unknown>(
      parts.flatMap((part) => [...Object.keys(part.properties ?? {}), ...(part.enum ?? [])]),
    )
    const words = Array.from(text.matchAll(/`([^`]+)`/g), ([, word = ""]) => word)
    const identifiers = words.filter((word) => /^-?[A-Za-z_]+$/.test(word))
    expect(identifiers.filter((word) => !known.has(word))).toEqual([])
  })

  it("names only limits that the code has", () => {
    const numbers = new Set(
      Array.from(text.matchAll(/\b\d[\d,]+\b/g), ([number]) => Number(number.replaceAll(",", ""))),
    )
    expect([...numbers].toSorted()).toEqual([...(LIMITS[name] ?? [])].toSorted())
  })

  it("describes the purpose of every parameter", () => {
    const parameters = Object.entries((tool.inputSchema as Described).properties ?? {})
    expect(parameters.filter(([, { description = "" }]) => description.length < 10)).toEqual([])
  })
})

describe("the declarations of tools", () => {
  const READING = ["Read", "Glob", "Grep", "LS"]

  it("say that reading is neither destructive nor open-world, and is idempotent", () => {
    for (const name of READING) {
      const tool = toolByName(name)!
      const { readOnly, hasOutsideEffects, destructive, idempotent, edits } = tool
      expect([readOnly({}), hasOutsideEffects({}), destructive, idempotent, edits({})]).toEqual([
        true,
        false,
        false,
        true,
        false,
      ])
      expect((tool.concurrent ?? readOnly)({})).toBe(true)
    }
  })

  it("say that changes of files run alone, and are committed with the call, so that a crash may repeat it", () => {
    for (const [name, idempotent] of [
      ["Write", true],
      ["Edit", false],
      ["NotebookEdit", false],
    ] as const) {
      const tool = toolByName(name)!
      expect((tool.concurrent ?? tool.readOnly)({})).toBe(false)
      expect([tool.hasOutsideEffects({}), tool.destructive, tool.idempotent, tool.edits({})]).toEqual([
        false,
        true,
        idempotent,
        true,
      ])
    }
  })

  it("are for Bash the same as for what its script does", () => {
    const bash = toolByName("Bash")!
    expect(bash.readOnly({ command: "cat a | sort" })).toBe(true)
    expect(bash.readOnly({ command: "cat a > b" })).toBe(false)
    expect([bash.destructive, bash.idempotent]).toEqual([true, false])
  })
})
