// Brings a prompt's attachments to the server: files into the workspace, images and PDFs as base64 into the prompt.
// Invariant: a file never takes the place of another one in the workspace: where its name is taken, it gets the next free one.
import type { SessionFiles, WorkspaceFile } from "../../client/api/session-files.ts"
import type { Prompt } from "../../client/api/session-shapes.ts"
import type { Server } from "../app/server.ts"
import { targetOf } from "../workspace/upload/uploads.ts"
import { type Attachment, fileName, FOLDER, promptOf } from "./attachments.ts"

const base64 = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => {
      const url = String(reader.result)
      resolve(url.slice(url.indexOf(",") + 1))
    })
    reader.addEventListener("error", () => reject(new Error("A file could not be read. Choose it again.")))
    reader.readAsDataURL(file)
  })

const sha256 = async (file: Blob): Promise<string> => {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

type Known = Pick<WorkspaceFile, "size" | "sha256">

const isSame = async (file: Blob, there: Known): Promise<boolean> =>
  there.size === file.size && there.sha256 === (await sha256(file))

/**
 * Writes the files into the folder; returns them with the names that they have there. A file that is there already with the same
 * content is not written again, so that a prompt which is sent once more after an error leaves no copies.
 */
export const uploadAll = async (
  files: Pick<SessionFiles, "all" | "write">,
  folder: string,
  attachments: ReadonlyArray<Attachment>,
): Promise<ReadonlyArray<Attachment>> => {
  if (!attachments.some(({ kind }) => kind === "file")) return attachments
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

/** The whole prompt. Throws when an upload fails. */
export const preparePrompt = async (
  server: Server,
  session: { readonly id: string; readonly cwd: string },
  text: string,
  attachments: ReadonlyArray<Attachment>,
): Promise<Prompt> => {
  const { files } = server.client.session(session.id)
  return promptOf(text, await uploadAll(files, targetOf(session.cwd, FOLDER), attachments), base64)
}
