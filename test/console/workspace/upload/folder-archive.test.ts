import { expect, test } from "vitest"
import { folderArchive } from "../../../../src/console/workspace/upload/folder-archive.ts"

test("an empty folder is an archive of one entry, whose header has its checksum", () => {
  const archive = folderArchive("/workspace/new folder") ?? new Uint8Array()
  const text = new TextDecoder().decode(archive)
  expect([archive.length, text.slice(0, 21), text[156]]).toEqual([1536, "workspace/new folder/", "5"])
  const header = archive.slice(0, 512)
  const sum = Number.parseInt(text.slice(148, 154), 8)
  header.fill(32, 148, 156)
  expect(header.reduce((total, byte) => total + byte, 0)).toBe(sum)
  expect(folderArchive("/" + "x".repeat(120))).toBeNull()
})
