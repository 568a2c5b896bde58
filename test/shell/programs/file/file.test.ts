// file through the Bash tool; the expected results were compared with file 5.44 of Debian.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../../tools/tool-context.ts"

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

/** The base64 of small files. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAAECAYAAACtBE5DAAAAC0lEQVQImWNgQAcAABIAAUYAAAA="
const TEXT = "text/plain; charset=us-ascii"

/** The command that prints a ZIP archive whose entries have these names and contents. */
const zip = (...entries: ReadonlyArray<readonly [name: string, content: string]>): string =>
  `printf '${entries
    .map(([name, content]) => {
      const length = (text: string) => `\\x${text.length.toString(16).padStart(2, "0")}\\0`
      const size = `${length(content)}\\0\\0`
      return `PK\\x03\\x04\\x14\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0${size}${size}${length(name)}\\0\\0${name}${content}`
    })
    .join("")}'`

describe("file names the type of", () => {
  it.each([
    ["printf 'hello\\n'", "ASCII text", TEXT],
    ["printf hello", "ASCII text, with no line terminators", TEXT],
    ["printf 'a\\r\\nb\\nc\\r\\n'", "ASCII text, with CRLF, LF line terminators", TEXT],
    ["printf 'a\\rb\\r'", "ASCII text, with CR line terminators", TEXT],
    ["printf '%0400d\\n' 0", "ASCII text, with very long lines (400)", TEXT],
    ["printf '\\033[31mred\\n'", "ASCII text, with escape sequences", TEXT],
    ["printf 'h\\xc3\\xa9\\n'", "Unicode text, UTF-8 text", "text/plain; charset=utf-8"],
    ["printf '\\xef\\xbb\\xbfhello\\n'", "Unicode text, UTF-8 (with BOM) text", "text/plain; charset=utf-8"],
    ["printf 'h\\xe9llo\\n'", "ISO-8859 text", "text/plain; charset=iso-8859-1"],
    ["printf 'a\\x93b\\n'", "Non-ISO extended-ASCII text", "text/plain; charset=unknown-8bit"],
    ["printf '\\xff\\xfeh\\0\\n\\0'", "Unicode text, UTF-16, little-endian text", "text/plain; charset=utf-16le"],
    ["printf '\\xfe\\xff\\0h\\0\\n'", "Unicode text, UTF-16, big-endian text", "text/plain; charset=utf-16be"],
    ["printf 'a\\x01b\\n'", "data", "application/octet-stream; charset=binary"],
    ["printf ''", "empty", "inode/x-empty; charset=binary"],
    ["printf a", "very short file (no magic)", "application/octet-stream; charset=binary"],
    ["echo '{\"a\":1}'", "JSON text data", "application/json; charset=us-ascii"],
    ["printf '[1]\\n[2]\\n'", "New Line Delimited JSON text data", "application/x-ndjson; charset=us-ascii"],
    ["echo '{\"a\":'", "ASCII text", TEXT],
    ["printf 'a,\"b,c\"\\n1,2\\n3,4\\n'", "CSV text", "text/csv; charset=us-ascii"],
    ["echo '<!DOCTYPE html>'", "HTML document, ASCII text", "text/html; charset=us-ascii"],
    ["echo '<?xml version=\"1.0\"?><a/>'", "XML 1.0 document, ASCII text", "text/xml; charset=us-ascii"],
    ["echo '<svg/>'", "SVG Scalable Vector Graphics image", "image/svg+xml; charset=us-ascii"],
    [
      "printf '#!/bin/bash\\n'",
      "Bourne-Again shell script, ASCII text executable",
      "text/x-shellscript; charset=us-ascii",
    ],
    ["echo '#!/usr/bin/env node'", "Node.js script executable, ASCII text", "application/javascript; charset=us-ascii"],
    ["echo '#!/opt/x  foo'", "a /opt/x  foo script, ASCII text executable", TEXT],
    [
      "printf 'import os\\n\\ndef f():\\n    pass\\n'",
      "Python script, ASCII text executable",
      "text/x-script.python; charset=us-ascii",
    ],
    ["printf '#include <stdio.h>\\n'", "C source, ASCII text", "text/x-c; charset=us-ascii"],
    ["printf -- '--- a\\n+++ b\\n@@ -1 +1 @@\\n'", "unified diff output, ASCII text", "text/x-diff; charset=us-ascii"],
    [`echo ${PNG} | base64 -d`, "PNG image data, 3 x 4, 8-bit/color RGBA, non-interlaced", "image/png; charset=binary"],
    ["printf 'GIF89a\\x0c\\0\\x22\\0\\0\\0\\0;'", "GIF image data, version 89a, 12 x 34", "image/gif; charset=binary"],
    ["printf '%%PDF-1.7\\n'", "PDF document, version 1.7", "application/pdf; charset=us-ascii"],
    [
      "printf '\\x1f\\x8b\\x08\\0\\0\\0\\0\\0\\x02\\x03xxxx\\x05\\0\\0\\0'",
      "gzip compressed data, max compression, from Unix, original size modulo 2^32 5",
      "application/gzip; charset=binary",
    ],
    ["touch e; tar -cf - e", "POSIX tar archive", "application/x-tar; charset=binary"],
    ["printf '\\0asm\\x01\\0\\0\\0'", "WebAssembly (wasm) binary module", "application/wasm; charset=binary"],
    [
      zip(["x", "y"]),
      "Zip archive data, at least v2.0 to extract, compression method=store",
      "application/zip; charset=binary",
    ],
    [zip(["mimetype", "application/epub+zip"]), "EPUB document", "application/epub+zip; charset=binary"],
    [
      zip(["_rels/.rels", "x"], ["word/document.xml", "x"]),
      "Microsoft Word 2007+",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document; charset=binary",
    ],
    [
      zip(["a", "x"], ["word/document.xml", "x"]),
      "Zip archive data, at least v2.0 to extract, compression method=store",
      "application/zip; charset=binary",
    ],
  ])("the output of %s", async (command, description, mime) => {
    expect(await printed(`${command} > f; file -b f; file -bi f`)).toBe(`${description}\n${mime}`)
  })
})

describe("file prints", () => {
  it.each([
    ["a name for each file, aligned", "echo a > long; echo a > b; file long b", "long: ASCII text\nb:    ASCII text"],
    [
      "directories and links",
      "mkdir d; ln -s d l; ln -s x m; file -N d l m",
      "d: directory\nl: symbolic link to d\nm: broken symbolic link to x",
    ],
    ["the target's type with -L", "echo a > t; ln -s t l; file -L l", "l: ASCII text"],
    ["a file that can't be opened, without an error", "file no", "no: cannot open `no' (No such file or directory)"],
    ["the type of standard input", "echo a | file -", "/dev/stdin: ASCII text"],
    ["the media type alone", "echo a > f; file --mime-type f; file -b --mime-encoding f", "f: text/plain\nus-ascii"],
    ["the files of a list", "echo a > f; echo f > list; file -f list", "f: ASCII text"],
    ["another separator", "echo a > f; file -F ' =' f", "f = ASCII text"],
    ["names that are not ASCII", "echo a > é; file é", "é: ASCII text"],
  ])("%s", async (_, command, output) => {
    expect(await printed(command)).toBe(output)
  })

  it("the error of an unknown option, and how to call it", async () => {
    expect(await printed("file --nosuch f")).toContain("file: unrecognized option '--nosuch'")
    expect(await printed("file")).toContain("Usage: file ")
  })
})
