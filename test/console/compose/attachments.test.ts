// Which attachments are part of a prompt, and which are uploaded into the workspace.
import { expect, test } from "vitest"
import {
  attach,
  attachmentsIn,
  fileName,
  kindOf,
  promptOf,
  withMentions,
} from "../../../src/console/compose/attachments.ts"

const MIB = 1024 * 1024
const file = (name: string, type: string, content = "x") => new File([content], name, { type })
const ids = () => {
  let next = 0
  return () => `id${(next += 1)}`
}

test("images and PDFs are part of the prompt up to the limits of the API", () => {
  const kind = (type: string, size: number, used = 0) => kindOf({ name: "f", type, size }, used)
  expect(kind("image/png", MIB)).toBe("image")
  expect(kind("image/png", 6 * MIB)).toBe("file")
  expect(kind("image/svg+xml", 10)).toBe("file")
  expect(kind("application/pdf", 10 * MIB)).toBe("pdf")
  expect(kind("application/pdf", 10 * MIB, 5 * MIB)).toBe("file")
  expect(kind("text/csv", 10)).toBe("file")
})

test("a name is a single path segment, without spaces, and unique among attachments", () => {
  expect(fileName("../../etc/pass wd", new Set())).toBe("pass-wd")
  expect(fileName("C:\\a\\b.txt", new Set())).toBe("b.txt")
  expect(fileName("..", new Set())).toBe("file")
  expect(fileName('a "b" `c`.txt', new Set())).toBe("a-b-c-.txt")
  expect(fileName("a.tar", new Set(["a.tar", "a-2.tar"]))).toBe("a-3.tar")
})

test("files are mentioned by their paths, after the text", () => {
  const all = attach([], [file("a.csv", "text/csv"), file("p.png", "image/png"), file("a.csv", "text/csv")], ids())
  expect(all.map(({ name, kind }) => [name, kind])).toEqual([
    ["a.csv", "file"],
    ["p.png", "image"],
    ["a-2.csv", "file"],
  ])
  expect(withMentions("Sum it", all)).toBe("Sum it\n\n@uploads/a.csv @uploads/a-2.csv")
  expect(withMentions("", attach([], [file("final.", "text/csv")], ids()))).toBe('@"uploads/final."')
})

test("a prompt is a text, or blocks followed by the text", async () => {
  const data = async () => "QUJD"
  const [csv, png, pdf] = attach(
    [],
    [file("a.csv", "text/csv"), file("p.png", "image/png"), file("d.pdf", "application/pdf")],
    ids(),
  )
  expect(await promptOf("Hi", [csv!], data)).toBe("Hi\n\n@uploads/a.csv")
  const prompt = await promptOf("", [png!, pdf!], data)
  expect(prompt).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } },
    { type: "document", title: "d.pdf", source: { type: "base64", media_type: "application/pdf", data: "QUJD" } },
  ])
  const again = attachmentsIn(prompt, ids())
  expect(again).toMatchObject([
    { name: "image-1", kind: "image", size: 3 },
    { name: "d.pdf", kind: "pdf", size: 3 },
  ])
  expect(await again[0]?.file.text()).toBe("ABC")
  expect(attachmentsIn("text", ids())).toEqual([])
})
