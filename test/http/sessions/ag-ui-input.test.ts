// The blocks of a prompt that an AG-UI client sends.
import { expect, it } from "vitest"
import { blocksOfParts } from "../../../src/http/sessions/ag-ui-input.ts"

const data = (type: "image" | "document", mimeType: "image/png" | "application/pdf" | "text/csv", value: string) => ({
  type,
  source: { type: "data", value, mimeType },
})

it("sends a text document as text, and other media as base64", () => {
  const csv = Buffer.from("name;größe").toString("base64")
  const parts = [
    data("document", "text/csv", csv),
    data("document", "application/pdf", "AAAA"),
    data("image", "image/png", "BBBB"),
  ]
  // The parts are as `POST /v1/ag-ui` decodes them.
  expect(blocksOfParts(parts as Parameters<typeof blocksOfParts>[0])).toEqual([
    { type: "document", source: { type: "text", media_type: "text/plain", data: "name;größe" } },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "BBBB" } },
  ])
})
