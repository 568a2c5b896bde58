// Receives the structured results of file tools, in order; tracks what the model has seen of each file.
// Invariant: a pure fold over results, so it can be rebuilt from the log; it stores hashes, never contents.
import { markOf } from "../schemas/log/media-mark.ts"
import { contentHash } from "../workspace/blobs.ts"
import { plainText, textOf, utf8Of, withPlainEnds } from "../workspace/file-text.ts"
import { touchedPath } from "../workspace/touched-path.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { cellsOf, parseNotebook } from "./files/notebook.ts"
import { replaceText } from "./files/replace-text.ts"
import { cutLines } from "./files/text-lines.ts"
import { isPlainObject } from "../schemas/plain-object.ts"

/** What the model has seen of a file, as a hash. `unchecked` matches whatever the file contains. */
type Seen =
  | { readonly kind: "unchecked" }
  | { readonly kind: "content"; readonly hash: string }
  | { readonly kind: "cells"; readonly hash: string }
  | {
      readonly kind: "lines"
      readonly first: number
      readonly count: number
      /** The number of lines in the whole file. */
      readonly total: number
      /** The number of UTF-16 units that were seen of the lines, when it was not all of them. */
      readonly length?: number
      readonly hash: string
    }

interface KnownFile {
  readonly seen: Seen
  /** False when there is more in the file than the model has seen. */
  readonly whole: boolean
}

/** A file that a shell command showed: its absolute path, a hash of its content, and whether it showed all lines. */
export interface ShownFile {
  readonly filePath: string
  readonly hash: string
  readonly whole: boolean
}

export const shownFile = (filePath: string, text: string, whole: boolean): ShownFile => ({
  filePath,
  hash: plainHash(text),
  whole,
})

/** The stored form of KnownFiles, by path. */
export interface SavedFiles {
  readonly files: ReadonlyArray<readonly [string, KnownFile]>
  readonly shown: ReadonlyArray<string>
}

/** What the model knows of a file: nothing, a part, the whole; or a content that has changed since. */
export type Knowledge = "none" | "part" | "whole" | "stale"

/** The hashes of files that Read returned as they are, by the `file` of its output, so that they are not hashed again. */
const HASHES = new WeakMap<object, string>()

/** To be called with the `file` of an output of Read that shows a text, and the hash and the number of the file's bytes. */
export const noteHash = (file: { readonly content: string }, hash: string, bytes: number): void => {
  // All characters are ASCII when there are as many as bytes, and none replaces an invalid byte.
  if (file.content.length === bytes) HASHES.set(file, hash)
}

/** A result in which Read cuts a line has at least this many characters. */
const MAX_SURE_CHARACTERS = 100_000

const UNCHECKED: KnownFile = { seen: { kind: "unchecked" }, whole: true }

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false })

/** Hashes a text as Read shows it: its encoding, byte order mark and kind of line ends make no difference. */
const plainHash = (text: string): string => textHash(plainText(text))

const textHash = (text: string): string => contentHash(encoder.encode(text))

/** Hashes cells, with images by their bytes: the log may have marks instead of them. */
const cellsHash = (cells: unknown): string =>
  textHash(JSON.stringify(cells, (key, value: unknown) => (key === "image_data" ? pictureHash(value) : value)))

const pictureHash = (data: unknown): unknown =>
  typeof data === "string" ? (markOf(data)?.hash ?? contentHash(Buffer.from(data, "base64"))) : data

export class KnownFiles implements Iterable<string> {
  readonly #files: Map<string, KnownFile>
  /** Paths of files whose content is in the conversation since its last restart. */
  readonly #shown: Set<string>

  /** Restores what `save` returned. */
  constructor({ files, shown }: SavedFiles = { files: [], shown: [] }) {
    this.#files = new Map(files)
    this.#shown = new Set(shown)
  }

  save(): SavedFiles {
    return { files: [...this.#files], shown: [...this.#shown] }
  }

  /** Forgets all files. */
  clear(): void {
    this.#files.clear()
  }

  /** Marks a file as known, with the content of this hash, or without one with whatever content it has when it is checked. */
  add(path: string, hash?: string): void {
    this.#know(path, hash === undefined ? UNCHECKED : { seen: { kind: "content", hash }, whole: true })
  }

  addAll(others: KnownFiles): void {
    for (const [path, known] of others.#files) this.#know(path, known)
  }

  #know(path: string, known: KnownFile): void {
    this.#files.delete(path)
    this.#files.set(path, known)
  }

  /** The absolute paths of the known files: the one that was read or changed last is the last. */
  [Symbol.iterator](): Iterator<string> {
    return this.#files.keys()
  }

  /** Called when the conversation restarts: files stay known, but none of their contents is in the conversation. */
  nothingShown(): void {
    this.#shown.clear()
  }

  /** True when the whole content of a file, as it is now, is in the conversation. Throws WorkspaceError. */
  isShown(workspace: Workspace, path: string): boolean {
    return this.#shown.has(path) && this.knowledge(workspace, path) === "whole"
  }

  /** Records the file of a `tool_use_result`. One that a hook has replaced (`altered`) does not prove the file's content. */
  learn(output: unknown, cwd: string, altered = false): void {
    if (!isPlainObject(output)) return
    if (Array.isArray(output["shownFiles"])) this.#showed(output["shownFiles"] as ReadonlyArray<ShownFile>) // of Bash
    const { filePath, file, notebook_path: notebook } = output
    const path = filePath ?? notebook ?? (isPlainObject(file) ? file["filePath"] : undefined)
    if (typeof path !== "string") return
    const known = altered ? UNCHECKED : isPlainObject(file) ? ofRead(output["type"], file) : ofChange(output)
    // An invalid path was not written by a file tool: another tool's output only looks like a file's.
    const absolute = touchedPath(path, cwd)
    if (known === null || absolute === "/") return
    this.#know(absolute, known)
    this.#shown.add(absolute)
  }

  /** A command that shows a part of a file does not take away what is known of the same content. */
  #showed(files: ReadonlyArray<ShownFile>): void {
    for (const { filePath, hash, whole } of files) {
      const known = this.#files.get(filePath)
      const isKnown = known?.seen.kind === "content" && known.seen.hash === hash
      if (whole || !isKnown) this.#know(filePath, { seen: { kind: "content", hash }, whole })
      if (whole) this.#shown.add(filePath)
    }
  }

  /** Whether what the model has seen of a file is still what is there. Throws WorkspaceError. */
  knowledge(workspace: Workspace, path: string): Knowledge {
    const known = this.#files.get(path)
    if (known === undefined) return "none"
    if (!isCurrent(workspace, path, known.seen)) return "stale"
    return known.whole ? "whole" : "part"
  }
}

const ofRead = (type: unknown, file: Readonly<Record<string, unknown>>): KnownFile | null => {
  const { content, startLine, numLines, totalLines, base64, cells } = file
  if (type === "notebook") {
    return { seen: { kind: "cells", hash: cellsHash(cells) }, whole: true }
  }
  if (type === "pdf" && typeof base64 === "string") {
    const hash = markOf(base64)?.hash ?? contentHash(Buffer.from(base64, "base64"))
    return { seen: { kind: "content", hash }, whole: true }
  }
  if (type !== "text" || typeof content !== "string" || typeof startLine !== "number") return null
  if (typeof numLines !== "number" || typeof totalLines !== "number") return null
  const first = Math.max(startLine, 1)
  const whole = first === 1 && numLines === totalLines && file["truncatedByTokenCap"] !== true
  // A text with replacement characters does not encode to the bytes that were read, so it is compared as lines.
  if (whole && !content.includes("\uFFFD"))
    return { seen: { kind: "content", hash: HASHES.get(file) ?? plainHash(content) }, whole }
  const lines = { kind: "lines", first, count: numLines, total: totalLines } as const
  const isCut = file["truncatedByTokenCap"] === true && content.length >= MAX_SURE_CHARACTERS
  if (!isCut) return { seen: { ...lines, hash: textHash(content) }, whole }
  // The cut may have split the last character.
  const sure = content.replace(/\uFFFD+$/, "")
  return { seen: { ...lines, length: sure.length, hash: textHash(sure) }, whole }
}

/** The content that a Write, Edit or NotebookEdit left in its file, from its output. */
const ofChange = (output: Readonly<Record<string, unknown>>): KnownFile | null => {
  const { content, updated_file: updated, originalFile, oldString, newString } = output
  const whole = output["contentNotInModelContext"] !== true
  const left = (text: string): KnownFile => ({ seen: { kind: "content", hash: plainHash(text) }, whole })
  if (typeof updated === "string") return left(updated)
  if (typeof oldString === "string" && typeof newString === "string") {
    const edit = { old_string: oldString, new_string: newString, replace_all: output["replaceAll"] === true }
    if (originalFile === null) return left(newString)
    return typeof originalFile === "string" ? left(replaceText(originalFile, edit)) : null
  }
  return typeof content === "string" ? left(content) : null
}

const isCurrent = (workspace: Workspace, path: string, seen: Seen): boolean => {
  switch (seen.kind) {
    case "unchecked":
      return true
    case "content":
      return workspace.hashOf(path) === seen.hash || plainHash(textOf(workspace.readBytes(path))) === seen.hash
    case "cells": {
      const notebook = parseNotebook(workspace.readBytes(path))
      return "cells" in notebook && cellsHash(cellsOf(notebook)) === seen.hash
    }
    case "lines": {
      const { part, total } = cutLines(utf8Of(workspace.readBytes(path)), seen.first, seen.count)
      if (total !== seen.total) return false
      const text = decoder.decode(part)
      // In older logs lines still have the file's carriage returns.
      return [withPlainEnds(text), text].some((lines) => textHash(lines.slice(0, seen.length)) === seen.hash)
    }
  }
}
