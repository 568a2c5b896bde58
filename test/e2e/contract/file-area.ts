// The workspace: whole files, ranges, conditions, archives, checkpoints, diffs and rewinds.
import { call, text } from "../../support/session/scripts.ts"
import { ask, root, scripted } from "./tour.ts"

const DONE = { content: [text("Done.")] }
const write = (name: string) => ({ content: [call("Write", { file_path: `/workspace/${name}`, content: name })] })

const files = async (id: string): Promise<void> => {
  const params = { id, path: "workspace/notes.txt" }
  for (const status of [201, 200]) await ask("putFile", status, { params, body: "some text" })
  const { headers } = await ask("getFile", 200, { params })
  await ask("getFile", 206, { params, headers: { range: "bytes=0-3" } })
  await ask("getFile", 304, { params, headers: { "if-none-match": headers.get("etag") ?? "" } })
  await ask("listFiles", 200, { params })
  await ask("deleteFile", 204, { params })
  const query = { path: "/workspace", format: "tar" }
  const response = await root.request("GET", `/v1/sessions/${id}/archive?${new URLSearchParams(query)}`)
  const body = new Uint8Array(await response.arrayBuffer())
  await ask("getArchive", 200, { params, query })
  await ask("getArchive", 200, { params, query: { ...query, format: "tar.gz" } })
  await ask("putArchive", 200, { params, query: { path: "/workspace/copy", format: "tar" }, body })
}

export const fileArea = async (): Promise<void> => {
  const id = await root.createSession({ permissionMode: "acceptEdits", enableFileCheckpointing: true })
  const params = { id }
  for (const name of ["a.txt", "b.txt"]) await root.query(id, await scripted(write(name), DONE))
  await files(id)
  const { json } = await ask("listCheckpoints", 200, { params })
  const [first = "", second = ""] = json["checkpoints"] as ReadonlyArray<string>
  await ask("diffFiles", 200, { params, query: { from: first } })
  await ask("diffFiles", 200, { params, query: { from: first, format: "unified" } })
  for (const dry_run of [true, false])
    await ask("rewindFiles", 200, { params, json: { user_message_id: second, dry_run } })
  await ask("revertSession", 200, { params, json: { messageID: second } })
  await ask("unrevertSession", 200, { params, json: {} })
}
