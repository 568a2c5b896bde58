// The server itself, its tenants' keys and limits, backups, costs and the audit.
import { eventually } from "../../support/server/client.ts"
import { ask, root, tenant } from "./tour.ts"

export const serverArea = async (): Promise<void> => {
  for (const id of ["healthz", "openapi"]) await ask(id, 200, { key: null })
  await ask("readyz", 200)
  await ask("metrics", 200)
  const { json: made } = await ask("createSignInCode", 201, { json: {} })
  await ask("signIn", 201, { key: null, json: { code: made["code"] }, headers: { origin: root.url } })
  const { name, client } = await tenant()
  const own = { as: client }
  await ask("listModels", 200, own)
  await ask("listModels", 200, { ...own, query: { format: "providers" } })
  await ask("getModel", 200, { ...own, params: { id: "claude-sonnet-4-5" } })
  await ask("listTools", 200, own)
  await ask("listTools", 200, { ...own, query: { projection: "openai" } })
  await ask("putConfig", 200, { ...own, json: { model: { default: "claude-sonnet-4-5" }, instructions: "Be brief." } })
  await ask("getConfig", 200, own)

  const spare = await ask("createKey", 201, { json: { tenant: name, label: "spare" } })
  const params = { key_id: String(spare.json["id"]) }
  await ask("rollKey", 200, { params, json: { overlap_seconds: 60 } })
  await ask("listKeys", 200, { query: { tenant: name } })
  await ask("revokeKey", 204, { params })
  await ask("setLimits", 200, { params: { tenant: name }, json: { open_sessions: 50 } })
  await ask("getLimits", 200, { params: { tenant: name } })

  const id = await client.createSession({}, { "/workspace/a.txt": "kept" })
  await client.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: "Say hello" } })
  await eventually(async () => {
    const { json } = await ask("listCosts", 200, own)
    return (json["data"] as ReadonlyArray<unknown>).length > 0 ? true : undefined
  })
  await ask("exportSessions", 200, { query: { tenant: name } })
  const backup = await ask("exportSession", 200, { params: { id }, query: { tenant: name } })
  await ask("rebuildRows", 200, { json: { tenant: name, session: id } })
  await ask("deleteSession", 200, { ...own, params: { id } })
  const other = await tenant()
  await ask("importSession", 200, { params: { id }, query: { tenant: other.name }, body: backup.text })
  await ask("listAudit", 200, { query: { tenant: name } })
}
