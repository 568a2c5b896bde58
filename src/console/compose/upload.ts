// Prepares a prompt's attachments: uploads files to the workspace, and embeds images and PDFs in the prompt as base64.
import type { Prompt } from "../../client/api/session-shapes.ts"
import type { Server } from "../app/server.ts"
import { targetOf } from "../workspace/upload/uploads.ts"
import { type Attachment, FOLDER, promptOf } from "./attachments.ts"
import { uploadAll } from "./sending/upload-all.ts"

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

/** Returns the prompt to send. Throws when an upload fails. `directory` is called only if there are files to upload. */
export const preparePrompt = async (
  server: Server,
  session: { readonly id: string; readonly directory: () => Promise<string> },
  text: string,
  attachments: ReadonlyArray<Attachment>,
): Promise<Prompt> => {
  if (!attachments.some(({ kind }) => kind === "file")) return promptOf(text, attachments, base64)
  const { files } = server.client.session(session.id)
  const folder = targetOf(await session.directory(), FOLDER)
  return promptOf(text, await uploadAll(files, folder, attachments), base64)
}
