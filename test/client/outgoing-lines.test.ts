import { expect, it } from "vitest"
import { OutgoingLines } from "../../src/client/outgoing-lines.ts"
import { parseFrame, readNumbered } from "../../src/session/feed/lines.ts"

const user = (content: unknown) => JSON.stringify({ type: "user", uuid: "u1", message: { role: "user", content } })

it("a line is sent unchanged, up to the size limit of a socket message", () => {
  for (const line of [user("hello"), user("x".repeat(21 * 1024 * 1024))]) {
    expect(readNumbered(new OutgoingLines().add(line).frame.trimEnd()).json).toBe(line)
  }
})

it.each([
  ["blocks", [{ type: "image", source: { data: "x".repeat(33 * 1024 * 1024) } }]],
  ["one text", "x".repeat(33 * 1024 * 1024)],
])("a line of %s that no message holds is sent without its content, and is refused by its length", (_, content) => {
  const { frame } = new OutgoingLines().add(user(content))
  expect(Buffer.byteLength(frame)).toBeLessThan(32 * 1024 * 1024)
  const read = parseFrame(readNumbered(frame.slice(0, -1)).json)
  expect(read).toMatchObject({ frame: { type: "user", uuid: "u1" }, problem: expect.stringContaining("20 MiB") })
})
