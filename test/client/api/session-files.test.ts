// Calls for a session's files that send nothing, because the server could not do what was meant.
import { expect, it, vi } from "vitest"
import * as Api from "../../../src/client/api/entry.ts"

const opened = () => {
  const requests: Array<unknown> = []
  const fake: typeof fetch = async (...request) => {
    requests.push(request)
    return Response.json({})
  }
  return {
    requests,
    files: Api.perchClient({ url: "https://perch.test", apiKey: "key", fetch: fake }).session("s").files,
  }
}

it("a path that is no text, or not valid Unicode, is refused", async () => {
  const { files, requests } = opened()
  await expect(files.readText(undefined as unknown as string)).rejects.toThrow("The path must be absolute")
  await expect(files.write("/a\ud83d", "x")).rejects.toThrow(
    new TypeError('The path must be valid Unicode. Got "a\\ud83d".'),
  )
  expect(requests).toHaveLength(0)
})

it("a file is written with text or bytes, and has as much time as an archive", async () => {
  const { files, requests } = opened()
  for (const content of [undefined, null, 5, { a: 1 }, new ReadableStream()] as ReadonlyArray<unknown>) {
    await expect(files.write("/a", content as string)).rejects.toThrow("content must be a string, bytes or a Blob. Got")
    await expect(files.upload(content as Blob)).rejects.toThrow("archive must be a string, bytes or a Blob. Got")
  }
  expect(requests).toHaveLength(0)
  const timers = vi.spyOn(globalThis, "setTimeout")
  for (const content of ["", "text", Uint8Array.of(1), new ArrayBuffer(1) as unknown as string, new Blob(["x"])])
    await files.write("/a", content)
  const delays = timers.mock.calls.map(([, ms]) => ms)
  timers.mockRestore()
  expect(requests).toHaveLength(5)
  expect(new Set(delays)).toEqual(new Set([600_000]))
})
