// The stdin that the SDK writes to.
import { expect, it } from "vitest"
import { LineInput } from "../../src/client/line-stream.ts"

it("what is written after the end of stdin is discarded, and ends no app that listens for no error", async () => {
  const taken: Array<string> = []
  const input = new LineInput({
    line: (line) => void taken.push(line),
    ended: () => void taken.push("(ended)"),
    full: () => false,
  })
  const closed = new Promise<void>((resolve) => input.stream.once("close", resolve))
  input.stream.write("first\nsec")
  input.stream.end("ond\n")
  const failed = new Promise((resolve) => input.stream.write("late\n", resolve))
  expect(await failed).toMatchObject({ code: "ERR_STREAM_WRITE_AFTER_END" })
  await closed
  expect(taken).toEqual(["first", "second", "(ended)"])
})
