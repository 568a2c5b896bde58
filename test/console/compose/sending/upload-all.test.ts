// Files of a prompt on their way into the workspace, under names that take nothing from other files.
import { expect, test } from "vitest"
import { createHash } from "node:crypto"
import type { ListFiles, WorkspaceFile, WriteFile } from "../../../../src/client/api/session-files.ts"
import { attach } from "../../../../src/console/compose/attachments.ts"
import { uploadAll } from "../../../../src/console/compose/sending/upload-all.ts"

const FOLDER = "/workspace/uploads"

/** A workspace that keeps texts, and refuses to write over one where it is asked to. */
const workspace = (texts: Map<string, string>) => {
  const written: Array<string> = []
  const entry = (path: string, text: string): WorkspaceFile => ({
    path,
    type: "file",
    size: Buffer.byteLength(text),
    modified_at: "",
    mode: 0o644,
    sha256: createHash("sha256").update(text).digest("hex"),
  })
  return {
    written,
    all: async function* ({ prefix = "/" }: Pick<ListFiles, "prefix"> = {}) {
      for (const [path, text] of texts) if (path.startsWith(`${prefix}/`)) yield entry(path, text)
    },
    write: async (path: string, content: string | Uint8Array<ArrayBuffer> | Blob, { ifNoneMatch }: WriteFile = {}) => {
      if (ifNoneMatch === "*" && texts.has(path)) throw new Error(`${path} exists.`)
      const text = await new Response(content).text()
      texts.set(path, text)
      written.push(path)
      return entry(path, text)
    },
  }
}

const attached = (...files: ReadonlyArray<readonly [name: string, text: string]>) => {
  let next = 0
  return attach(
    [],
    files.map(([name, text]) => new File([text], name)),
    () => `id${(next += 1)}`,
  )
}

const namesOf = (all: Awaited<ReturnType<typeof uploadAll>>) => all.map(({ name }) => name)

test("a file whose name another one has in the workspace gets the next free name", async () => {
  const texts = new Map([
    [`${FOLDER}/a.csv`, "of the first prompt"],
    [`${FOLDER}/a-2.csv`, "of the second prompt"],
  ])
  const files = workspace(texts)
  expect(namesOf(await uploadAll(files, FOLDER, attached(["a.csv", "new"], ["a-3.csv", "other"])))).toEqual([
    "a-4.csv",
    "a-3.csv",
  ])
  expect(Object.fromEntries(texts)).toEqual({
    [`${FOLDER}/a.csv`]: "of the first prompt",
    [`${FOLDER}/a-2.csv`]: "of the second prompt",
    [`${FOLDER}/a-3.csv`]: "other",
    [`${FOLDER}/a-4.csv`]: "new",
  })
})

test("a file that is there with the same content, also under the next name, is not written again", async () => {
  const files = workspace(
    new Map([
      [`${FOLDER}/a.csv`, "abc"],
      [`${FOLDER}/a-2.csv`, "new"],
    ]),
  )
  expect(namesOf(await uploadAll(files, FOLDER, attached(["a.csv", "new"])))).toEqual(["a-2.csv"])
  expect(namesOf(await uploadAll(files, FOLDER, attached(["a.csv", "abc"])))).toEqual(["a.csv"])
  expect(files.written).toEqual([])
})
