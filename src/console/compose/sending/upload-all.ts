// Uploads the files of a prompt to the workspace.
// Invariant: no existing file is overwritten: if a name is taken, the file gets the next free name.
import type { SessionFiles, WorkspaceFile } from "../../../client/api/session-files.ts"
import { type Attachment, fileName } from "../attachments.ts"

/** The digest in hexadecimal; null on pages from another machine over plain HTTP, where `crypto.subtle` is not available. */
const sha256 = async (file: Blob): Promise<string | null> => {
  const { subtle } = crypto as { readonly subtle?: SubtleCrypto } // missing there
  if (subtle === undefined) return null
  const bytes = new Uint8Array(await subtle.digest("SHA-256", await file.arrayBuffer()))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

type Known = Pick<WorkspaceFile, "size" | "sha256">

const isSame = async (file: Blob, there: Known): Promise<boolean> =>
  there.size === file.size && there.sha256 === (await sha256(file))

/**
 * Writes the files to the folder; returns the attachments with their names there. A file that already exists with the same content
 * is not written again, so that resending a prompt after an error creates no copies.
 */
export const uploadAll = async (
  files: Pick<SessionFiles, "all" | "write">,
  folder: string,
  attachments: ReadonlyArray<Attachment>,
): Promise<ReadonlyArray<Attachment>> => {
  const known = new Map<string, Known>()
  for await (const file of files.all({ prefix: folder })) known.set(file.path.slice(folder.length + 1), file)
  const uploaded: Array<Attachment> = []
  for (const attachment of attachments) {
    const { kind, file } = attachment
    let { name } = attachment
    if (kind === "file") {
      const taken = new Set(attachments.filter((other) => other !== attachment).map((other) => other.name))
      let there = known.get(name)
      while (there !== undefined && !(await isSame(file, there))) {
        name = fileName(attachment.name, taken.add(name))
        there = known.get(name)
      }
      if (there === undefined) known.set(name, await files.write(`${folder}/${name}`, file, { ifNoneMatch: "*" }))
    }
    uploaded.push({ ...attachment, name })
  }
  return uploaded
}
