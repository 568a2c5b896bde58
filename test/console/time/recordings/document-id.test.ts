import { expect, test } from "vitest"
import { documentId } from "../../../../src/console/time/recordings/document-id.ts"

const idOf = (text: string) => documentId(new Blob([text]))

test("the id of a recording is read from its document, however it is formatted", async () => {
  expect(await idOf('{"metadata":{"id":"one","name":"a"},\n"signals":[\n{"id":"x"}\n]}')).toBe("one")
  expect(await idOf(JSON.stringify({ signals: [], metadata: { id: "two" } }, null, 2))).toBe("two")
})

test("a file that is not a recording is refused with what to choose", async () => {
  const files = ["", "{", "[1]", '{"metadata":{}}', '{"metadata":{"id":1},\n"signals":[]}']
  for (const text of files) await expect(idOf(text)).rejects.toThrow("This file is no recording")
})
