import { describe, expect, it } from "vitest"
import { imageSize } from "../../src/schemas/image-size.ts"
import { promptSizeIssue } from "../../src/schemas/api/prompt-size.ts"
import { imageBlocks } from "../../src/tools/image-blocks.ts"
import { cellsOf, parseNotebook } from "../../src/tools/files/notebook.ts"
import { readTool } from "../../src/tools/files/read.ts"
import { fails, openContext, run } from "../tools/tool-context.ts"

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))))

const png = (width: number, height: number): Buffer => {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return bytes("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [...size], [8, 2, 0, 0, 0])
}

const EXIF = bytes([0xff, 0xe1, 0, 8], "Exif\0\0")

describe("the size of an image", () => {
  it.each([
    ["a PNG", png(640, 480)],
    ["a GIF", bytes("GIF89a", [0x80, 2, 0xe0, 1], [0, 0, 0])],
    ["a JPEG", bytes([0xff, 0xd8], EXIF.toString("latin1"), [0xff, 0xff, 0xc2, 0, 17, 8, 1, 0xe0, 2, 0x80, 3])],
    [
      "a WebP",
      bytes("RIFF", [0, 0, 0, 0], "WEBPVP8 ", [0, 0, 0, 0], [0, 0, 0, 0x9d, 1, 0x2a], [0x80, 2, 0xe0, 1], [0, 0]),
    ],
    [
      "a lossless WebP",
      bytes("RIFF", [0, 0, 0, 0], "WEBPVP8L", [0, 0, 0, 0], [0x2f, 0x7f, 0xc2, 0x77, 0], [0, 0, 0, 0, 0]),
    ],
    ["an extended WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [0, 0, 0, 0], [0, 0, 0, 0], [0x7f, 2, 0, 0xdf, 1, 0])],
  ])("is read from the header of %s", (_name, image) => {
    expect(imageSize(image)).toEqual({ width: 640, height: 480 })
  })

  it.each([
    ["nothing", bytes()],
    ["a text", bytes("hello")],
    ["a PNG that breaks off", png(1, 1).subarray(0, 20)],
    ["a JPEG without a frame", bytes([0xff, 0xd8], EXIF.toString("latin1"))],
    ["a JPEG of empty segments", bytes([0xff, 0xd8], [0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
    ["a WebP that breaks off", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X")],
  ])("is not known of %s", (_name, image) => {
    expect(imageSize(image)).toBeNull()
  })
})

describe("an image with more pixels than the Messages API accepts", () => {
  const wide = png(8001, 10)

  it("is not read: every later request with it would be refused", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/wide.png", new Uint8Array(wide))
    workspace.writeBytes("/workspace/fits.png", new Uint8Array(png(8000, 8000)))
    expect(await fails(readTool, { file_path: "wide.png" }, context)).toMatchObject({
      reason: "command_failed",
      message: expect.stringContaining("8001 x 10 pixels"),
    })
    expect((await run(readTool, { file_path: "fits.png" }, context)).output).toMatchObject({
      file: { dimensions: { originalWidth: 8000, originalHeight: 8000, displayWidth: 8000, displayHeight: 8000 } },
    })
  })

  it("is replaced by a text in a server's result", () => {
    expect(imageBlocks("draw", wide.toString("base64"), "image/png")).toEqual([
      { type: "text", text: expect.stringContaining("too large") },
    ])
    expect(imageBlocks("draw", png(10, 10).toString("base64"), "image/png")[0]).toMatchObject({ type: "image" })
  })

  it("is refused in a prompt", () => {
    const block = (image: Buffer) => ({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: image.toString("base64") },
    })
    expect(promptSizeIssue([{ type: "text", text: "x" }, block(wide)])).toEqual({
      field: "prompt[1]",
      what: "an image has at most 8000 pixels along each side, and this one has 8001 x 10",
      advice: expect.stringContaining("Scale it down"),
    })
    expect(promptSizeIssue([block(png(8000, 8000))])).toBeUndefined()
  })

  it("is omitted from a notebook's outputs", () => {
    const output = { output_type: "display_data", data: { "image/png": wide.toString("base64"), "text/plain": "F" } }
    const notebook = parseNotebook(
      new Uint8Array(Buffer.from(JSON.stringify({ cells: [{ cell_type: "code", source: "", outputs: [output] }] }))),
    )
    expect("cells" in notebook && cellsOf(notebook)[0]?.outputs).toEqual([
      { output_type: "display_data", text: expect.stringMatching(/^F\n\[An image was left out/) },
    ])
  })
})

it("the text of a document counts towards the limit of a prompt", () => {
  const source = { type: "text", media_type: "text/plain", data: "x".repeat(2_000_000) }
  expect(promptSizeIssue([{ type: "document", source }])).toBeUndefined()
  expect(
    promptSizeIssue([
      { type: "document", source },
      { type: "text", text: "x" },
    ]),
  ).toMatchObject({
    what: "a prompt's texts have at most 2000000 characters, and these have 2000001",
  })
})
