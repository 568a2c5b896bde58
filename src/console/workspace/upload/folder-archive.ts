// A tar archive with one empty folder, because the API only creates folders with files in them, or from an archive.

const BLOCK = 512

/** Builds the archive for a folder; returns null when its path exceeds the 100 bytes that a header has for the name. */
export const folderArchive = (path: string): Uint8Array<ArrayBuffer> | null => {
  const name = new TextEncoder().encode(`${path.replace(/^\/+|\/+$/g, "")}/`)
  if (name.length > 100) return null
  const archive = new Uint8Array(BLOCK * 3)
  const put = (offset: number, text: string) => archive.set(new TextEncoder().encode(text), offset)
  archive.set(name, 0)
  put(100, "0000755\0")
  put(108, "0000000\0")
  put(116, "0000000\0")
  put(124, "00000000000\0")
  put(136, "00000000000\0")
  put(148, " ".repeat(8))
  put(156, "5")
  put(257, "ustar\0")
  put(263, "00")
  const sum = archive.subarray(0, BLOCK).reduce((total, byte) => total + byte, 0)
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `)
  return archive
}
