// Receives base64 from an MCP server or a page; saves it as files in the directory of saved results, in the transaction of the
// call's result.
// Invariant: each file fits into the workspace by itself, and exists once `commit` has run.
import { ownValue } from "../../schemas/own-value.ts"
import { resultPath } from "../../shell/overflow.ts"
import { CommitRefused } from "../../workspace/tree/guarded-overlay.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import { imageType } from "../image-blocks.ts"
import type { ToolContext } from "../tool.ts"

export interface SavedBlob {
  readonly path: string
  /** Bytes of the file. */
  readonly size: number
}

export class SavedBlobs {
  readonly #context: Pick<ToolContext, "workspace" | "root" | "toolUseId">
  readonly #what: string
  readonly #files: Array<{ readonly path: string; readonly bytes: Uint8Array }> = []

  /** `what` names what the bytes are part of, for the error when they can't be saved after all. */
  constructor(context: Pick<ToolContext, "workspace" | "root" | "toolUseId">, what: "resource" | "result" | "page") {
    this.#context = context
    this.#what = what
  }

  /** Adds a file with the bytes of valid base64; `index` numbers the files of one call. Throws WorkspaceError if it is too large. */
  add(blob: string, mimeType: string | undefined, index: number): SavedBlob {
    const { workspace, root, toolUseId } = this.#context
    const bytes = new Uint8Array(Buffer.from(blob, "base64"))
    const path = resultPath(root, toolUseId, `-${index}.${endingOf(blob, mimeType)}`)
    workspace.prepareWrite(path, bytes)
    this.#files.push({ path, bytes })
    return { path, size: bytes.length }
  }

  /** Writes the files, in the transaction of the call's result; undefined when there are none. */
  get commit(): (() => void) | undefined {
    return this.#files.length === 0 ? undefined : () => this.#write()
  }

  #write(): void {
    try {
      for (const { path, bytes } of this.#files) this.#context.workspace.writeOwn(path, bytes)
    } catch (error) {
      // All files together may not fit, although each does.
      if (error instanceof WorkspaceError)
        throw new CommitRefused(`The ${this.#what} could not be saved: ${error.message}`)
      throw error
    }
  }
}

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "application/json": "json",
  "application/zip": "zip",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/ogg": "ogg",
  "video/mp4": "mp4",
}

const endingOf = (blob: string, mimeType: string | undefined): string =>
  ownValue(ENDINGS, imageType(blob) ?? mimeType ?? "") ?? "bin"
