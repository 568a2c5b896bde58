// Starts the unsent session: creates it, uploads its files, queues its prompt and opens it.
// Invariant: after an error the form and its files are kept, and what is typed during the upload becomes the next prompt.
import { go, place } from "../../app/router.ts"
import { messageOf, type Server } from "../../app/server.ts"
import { typedAfter } from "../drafts.ts"
import { outboxOf } from "../outboxes.ts"
import { unsentOf } from "../unsent.ts"
import { preparePrompt } from "../upload.ts"
import type { UnsentSession } from "./unsent-session.ts"

/** Reports progress and errors in the signals of `unsent`. An invalid field gets the focus. */
export const startSession = async (server: Server, unsent: UnsentSession): Promise<void> => {
  const { error, progress } = unsent
  if (unsent.isEmpty() || progress.value !== null) return
  const request = unsent.request()
  if ("problem" in request) {
    error.value = request.problem
    document.getElementById(request.field)?.focus()
    return
  }
  const { prompt } = unsent.form.value
  const attachments = unsent.attachments.value
  error.value = null
  try {
    progress.value = "Making the session…"
    const { id, cwd } = await unsent.make(request.value)
    progress.value = "Uploading…"
    const target = { id, directory: () => Promise.resolve(cwd) }
    outboxOf(server, id).add(await preparePrompt(server, target, prompt.trim(), attachments))
    keepForNextPrompt(server, id, {
      text: typedAfter(prompt, unsent.form.value.prompt),
      attachments: unsent.attachments.value.filter((attachment) => !attachments.includes(attachment)),
    })
    unsent.clear()
    // If another screen was opened in the meantime, it stays open.
    if (place.peek().page === "new") go({ page: "session", id, screen: "chat" })
  } catch (cause) {
    error.value = messageOf(cause)
  } finally {
    progress.value = null
  }
}

type AddedDuringUpload = { readonly text: string; readonly attachments: UnsentSession["attachments"]["value"] }

const keepForNextPrompt = (server: Server, session: string, added: AddedDuringUpload): void => {
  const next = unsentOf(server, session)
  if (added.text !== "") next.write(added.text)
  next.attachments.value = [...next.attachments.value, ...added.attachments]
}
