// Uploads into the workspace, with some files added again during the upload.
import { expect, test } from "vitest"
import type { WorkspaceFile } from "../../../../src/client/api/session-files.ts"
import { type Chosen, Uploads } from "../../../../src/console/workspace/upload/upload-queue.ts"

interface Request {
  readonly path: string
  readonly answer: PromiseWithResolvers<void>
}

/** A workspace whose requests end when the test ends them. */
const heldFiles = () => {
  const requests: Array<Request> = []
  const written = new Map<string, string>()
  const write = async (path: string, content: unknown): Promise<WorkspaceFile> => {
    const text = await new Response(content as Blob).text() // what Uploads writes
    const answer = Promise.withResolvers<void>()
    requests.push({ path, answer })
    await answer.promise
    written.set(path, text)
    return { path, type: "file", size: text.length, modified_at: "", mode: 0o644 }
  }
  return { requests, written, write }
}

const filesOf = (names: ReadonlyArray<string>, content: string): ReadonlyArray<Chosen> =>
  names.map((name) => ({ size: 1, read: async () => new Blob([`${content} ${name}`]), relative: name }))

const NAMES = ["1", "2", "3", "4", "5"]

/** Ends the requests that `which` selects, as they arrive, until `done`. */
const endAll = async (
  requests: ReadonlyArray<Request>,
  done: Promise<unknown>,
  which: (request: Request, index: number) => boolean = () => true,
): Promise<void> => {
  let isDone = false
  void done.then(() => (isDone = true))
  while (!isDone) {
    for (const { answer } of requests.filter(which)) answer.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test("files that are added again during their upload are written completely, in their last version", async () => {
  const files = heldFiles()
  const uploads = new Uploads(files, () => {}, String)
  const first = uploads.add(filesOf(NAMES, "first"), "/workspace")
  await expect.poll(() => files.requests.length).toBe(3)
  const second = uploads.add(filesOf(NAMES, "second"), "/workspace")
  // The second uploads continue when the first ones have ended.
  await endAll(files.requests, first, ({ path }, index) => index < 3 || /[45]$/.test(path))
  await endAll(files.requests, second)
  expect([...files.written]).toEqual(NAMES.map((name) => [`/workspace/${name}`, `second ${name}`]))
  expect(uploads.items.value.map(({ state }) => state)).toEqual(NAMES.map(() => "done"))
})

test("a file that is added again during an older upload is not done before its own upload ends", async () => {
  const files = heldFiles()
  const uploads = new Uploads(files, () => {}, String)
  const first = uploads.add(filesOf(["1"], "first"), "/workspace")
  await expect.poll(() => files.requests.length).toBe(1)
  const second = uploads.add(filesOf(["1"], "second"), "/workspace")
  files.requests[0]?.answer.resolve()
  await first
  expect(uploads.items.value.map(({ state }) => state)).not.toContain("done")
  await expect.poll(() => files.requests.length).toBe(2)
  files.requests[1]?.answer.resolve()
  await second
  expect(files.written.get("/workspace/1")).toBe("second 1")
  expect(uploads.items.value.map(({ state }) => state)).toEqual(["done"])
})

test("a file that failed is written when it is retried", async () => {
  const files = heldFiles()
  const uploads = new Uploads(
    files,
    () => {},
    (error) => (error instanceof Error ? error.message : ""),
  )
  const added = uploads.add(filesOf(["1"], "only"), "/workspace")
  await expect.poll(() => files.requests.length).toBe(1)
  files.requests[0]?.answer.reject(new Error("It is away."))
  await added
  expect(uploads.items.value).toMatchObject([{ state: "failed", reason: "It is away." }])
  const again = uploads.retry()
  await endAll(files.requests, again)
  expect(files.written.get("/workspace/1")).toBe("only 1")
})
