// Receives the content of a file that is not plain text; returns the format that its first bytes identify, as file 5.44 names it.
// Invariant: only fixed offsets and, in a ZIP archive, the names of its entries are read.
import { imageSize } from "../../../schemas/image-size.ts"

export interface Format {
  readonly description: string
  readonly mime: string
}

/** The bytes of a format, its description, and its media type, by default `application/octet-stream`. */
type Magic = readonly [bytes: string, description: string, mime?: string]

const OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
const OFFICE = "application/vnd.openxmlformats-officedocument."

const AT_START: ReadonlyArray<Magic> = [
  ["II*\0", "TIFF image data, little-endian", "image/tiff"],
  ["MM\0*", "TIFF image data, big-endian", "image/tiff"],
  ["BM", "PC bitmap", "image/bmp"],
  ["\0\0\x01\0", "MS Windows icon resource", "image/vnd.microsoft.icon"],
  ["BZh", "bzip2 compressed data", "application/x-bzip2"],
  ["\xfd7zXZ\0", "XZ compressed data", "application/x-xz"],
  ["\x28\xb5\x2f\xfd", "Zstandard compressed data (v0.8+)", "application/zstd"],
  ["7z\xbc\xaf'\x1c", "7-zip archive data", "application/x-7z-compressed"],
  ["Rar!\x1a\x07\x01", "RAR archive data, v5", "application/x-rar"],
  ["Rar!\x1a\x07\0", "RAR archive data", "application/x-rar"],
  ["PK\x05\x06", "Zip archive data (empty)", "application/zip"],
  ["ID3", "Audio file with ID3", "audio/mpeg"],
  ["\xff\xfb", "MPEG ADTS, layer III, v1", "audio/mpeg"],
  ["\xff\xf3", "MPEG ADTS, layer III, v2", "audio/mpeg"],
  ["fLaC", "FLAC audio bitstream data", "audio/flac"],
  ["OggS", "Ogg data", "application/ogg"],
  ["\0asm", "WebAssembly (wasm) binary module", "application/wasm"],
  ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Composite Document File V2 Document", "application/x-ole-storage"],
  ["\0\x01\0\0\0", "TrueType Font data", "font/sfnt"],
  ["OTTO", "OpenType font data", "application/vnd.ms-opentype"],
  ["wOFF", "Web Open Font Format", "font/woff"],
  ["wOF2", "Web Open Font Format (Version 2)", "font/woff2"],
  ["SQLite format 3\0", "SQLite 3.x database", "application/vnd.sqlite3"],
  ["PAR1", "Apache Parquet"],
  ["ARROW1\0", "Apache Arrow"],
  ["\x93NUMPY", "NumPy array"],
]

/** Formats with bytes that are not at the start, by their offsets. */
const INSIDE: ReadonlyArray<readonly [at: number, formats: ReadonlyArray<Magic>]> = [
  [
    4,
    [
      ["ftypavif", "ISO Media, AVIF Image", "image/avif"],
      ["ftypM4A ", "ISO Media, Apple iTunes ALAC/AAC-LC (.M4A) Audio", "audio/x-m4a"],
      ["ftypmp42", "ISO Media, MP4 v2 [ISO 14496-14]", "video/mp4"],
      ["ftypisom", "ISO Media, MP4 Base Media v1 [ISO 14496-12:2003]", "video/mp4"],
      ["ftyp", "ISO Media", "video/mp4"],
    ],
  ],
  [
    8,
    [
      ["WAVE", "RIFF (little-endian) data, WAVE audio", "audio/x-wav"],
      ["AVI ", "RIFF (little-endian) data, AVI", "video/x-msvideo"],
      ["WEBP", "RIFF (little-endian) data, Web/P image", "image/webp"],
    ],
  ],
  [
    28,
    [
      ["\x01vorbis", "Ogg data, Vorbis audio", "audio/ogg"],
      ["OpusHead", "Ogg data, Opus audio", "audio/ogg"],
    ],
  ],
  [
    257,
    [
      ["ustar  \0", "POSIX tar archive (GNU)", "application/x-tar"],
      ["ustar\0", "POSIX tar archive", "application/x-tar"],
    ],
  ],
  [0, AT_START],
]

/** Formats of ZIP archives, by the name and content of an entry. */
const ZIPPED: ReadonlyArray<Magic> = [
  ["mimetypeapplication/epub+zip", "EPUB document", "application/epub+zip"],
  [`mimetype${OPEN_DOCUMENT}text`, "OpenDocument Text", `${OPEN_DOCUMENT}text`],
  [`mimetype${OPEN_DOCUMENT}spreadsheet`, "OpenDocument Spreadsheet", `${OPEN_DOCUMENT}spreadsheet`],
  [`mimetype${OPEN_DOCUMENT}presentation`, "OpenDocument Presentation", `${OPEN_DOCUMENT}presentation`],
]

/** Formats of ZIP archives that begin as documents of Office do. */
const OFFICE_ZIPPED: ReadonlyArray<Magic> = [
  ["word/", "Microsoft Word 2007+", `${OFFICE}wordprocessingml.document`],
  ["xl/", "Microsoft Excel 2007+", `${OFFICE}spreadsheetml.sheet`],
  ["ppt/", "Microsoft PowerPoint 2007+", `${OFFICE}presentationml.presentation`],
]
const OFFICE_START = /^(?:\[Content_Types\]|_rels\/|docProps\/)/

const COLOURS: Readonly<Record<number, string>> = {
  0: " grayscale",
  2: "/color RGB",
  3: " colormap",
  4: " gray+alpha",
  6: "/color RGBA",
}
const ELF_TYPES: Readonly<Record<number, string>> = { 1: "relocatable", 2: "executable", 3: "shared object" }
const MACHINES: Readonly<Record<number, string>> = { 3: "Intel 80386", 40: "ARM", 62: "x86-64", 183: "ARM aarch64" }
const COMPRESSIONS: Readonly<Record<number, string>> = { 2: ", max compression", 4: ", max speed" }

/**
 * Formats whose description depends on the content. `describe` receives the content, padded with zeros to 64 bytes if it is
 * shorter, and its length without them.
 */
const MEASURED: ReadonlyArray<readonly [bytes: string, describe: (content: Buffer, length: number) => Format]> = [
  [
    "\x89PNG\r\n\x1a\n",
    (content) => {
      const colour = `${content[24]}-bit${COLOURS[content[25] ?? 0] ?? ""}`
      const interlaced = content[28] === 1 ? "interlaced" : "non-interlaced"
      return format(`PNG image data${sized(content, " x ")}, ${colour}, ${interlaced}`, "image/png")
    },
  ],
  [
    "GIF8",
    (content) =>
      format(`GIF image data, version ${content.toString("latin1", 3, 6)}${sized(content, " x ")}`, "image/gif"),
  ],
  ["\xff\xd8\xff", (content) => format(`JPEG image data${sized(content, "x")}`, "image/jpeg")],
  [
    "\x1f\x8b",
    (content, length) => {
      const made = `${COMPRESSIONS[content[8] ?? 0] ?? ""}${content[9] === 3 ? ", from Unix" : ""}`
      const size = content.readUInt32LE(Math.max(length - 4, 0))
      return format(`gzip compressed data${made}, original size modulo 2^32 ${size}`, "application/gzip")
    },
  ],
  [
    "\x1aE\xdf\xa3",
    (content) =>
      content.toString("latin1", 0, 64).includes("webm")
        ? format("WebM", "video/webm")
        : format("Matroska data", "video/x-matroska"),
  ],
  [
    "\x7fELF",
    (content) => {
      const form = `${content[4] === 1 ? 32 : 64}-bit ${content[5] === 2 ? "MSB" : "LSB"}`
      const order = content[5] === 2 ? 1 : 0
      const [type, machine] = [ELF_TYPES[content[16 + order] ?? 0], MACHINES[content[18 + order] ?? 0]]
      const parts = [`ELF ${form} ${type ?? "file"}`, ...(machine === undefined ? [] : [machine])]
      return format(`${parts.join(", ")}, version 1`, "application/x-executable")
    },
  ],
  [
    "MZ",
    (content) => {
      const at = content.readUInt32LE(60)
      if (content.toString("latin1", at, at + 4) !== "PE\0\0")
        return format("MS-DOS executable", "application/x-dosexec")
      const bits = content[at + 24] === 0x0b && content[at + 25] === 2 ? "PE32+" : "PE32"
      return format(`${bits} executable, for MS Windows`, "application/vnd.microsoft.portable-executable")
    },
  ],
  ["PK\x03\x04", (content) => zipFormat(content)],
]

const sized = (content: Buffer, by: string): string => {
  const size = imageSize(content)
  return size === null ? "" : `, ${size.width}${by}${size.height}`
}

const format = (description: string, mime = "application/octet-stream"): Format => ({ description, mime })

const zipFormat = (content: Buffer): Format => {
  let magic = ZIPPED
  for (let at = 0; at >= 0; at = content.indexOf("PK\x03\x04", at + 4, "latin1")) {
    const entry = content.toString("latin1", at + 30, at + 90)
    if (at === 0 && OFFICE_START.test(entry)) magic = OFFICE_ZIPPED
    const found = magic.find(([bytes]) => entry.startsWith(bytes))
    if (found !== undefined) return format(found[1], found[2])
  }
  const version = `v${Math.floor((content[4] ?? 0) / 10)}.${(content[4] ?? 0) % 10}`
  const method = content[8] === 8 ? "deflate" : content[8] === 0 ? "store" : String(content[8])
  return format(`Zip archive data, at least ${version} to extract, compression method=${method}`, "application/zip")
}

/** The format of a content; `data` if its bytes identify none. */
export const formatOf = (content: Buffer): Format => {
  const head = content.toString("latin1", 0, 512)
  const describe = MEASURED.find(([bytes]) => head.startsWith(bytes))?.[1]
  if (describe !== undefined)
    return describe(content.length < 64 ? Buffer.concat([content], 64) : content, content.length)
  for (const [at, formats] of INSIDE) {
    const found = formats.find(([bytes]) => head.startsWith(bytes, at))
    if (found !== undefined) return format(found[1], found[2])
  }
  return format("data")
}
