// The API of Workers: scripts with their assets, secrets, versions and deployments, and the workers.dev subdomain.
import { json, ok, refuse, type ApiAnswer, type ApiRequest, type Route } from "./answer.ts"
import type { Binding, Version, Worker } from "./state.ts"

const notFound = refuse(404, 10_007, "This Worker does not exist on your account.")

/** The upload of `wrangler deploy`: a form whose field `metadata` describes the Worker. */
type Metadata = {
  readonly bindings?: ReadonlyArray<Binding>
  readonly keep_bindings?: ReadonlyArray<string>
  readonly limits?: { readonly cpu_ms?: number }
  readonly migrations?: { readonly new_tag?: string }
}

const metadataOf = async ({ body, type }: ApiRequest): Promise<Metadata> => {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData()
  const metadata = form.get("metadata")
  // Wrangler sends it as text, other clients as a file.
  return JSON.parse(typeof metadata === "string" ? metadata : await (metadata ?? new Blob(["{}"])).text())
}

const withWorker = ({ state }: ApiRequest, name: string, answer: (worker: Worker) => ApiAnswer): ApiAnswer => {
  const worker = state.workers.get(name)
  return worker === undefined ? notFound : answer(worker)
}

/** Stores a version of a Worker, or returns why the account can't have it. */
const upload = async (request: ApiRequest, name: string): Promise<Version | ApiAnswer> => {
  const { state } = request
  const metadata = await metadataOf(request)
  if (state.plan === "free" && metadata.limits?.cpu_ms !== undefined)
    return refuse(400, 100_328, "CPU limits are not supported for the Free plan.")
  const held = state.workers.get(name)?.versions.at(-1)?.bindings ?? []
  // `inherit` means the binding of that name in the previous version.
  const bindings = (metadata.bindings ?? []).map((binding) =>
    binding.type === "inherit" ? (held.find((one) => one.name === binding.name) ?? binding) : binding,
  )
  const lost = bindings.find(({ type }) => type === "inherit")
  if (lost !== undefined) return refuse(400, 10_057, `inherit binding '${lost.name}' is invalid`)
  for (const { type, id, queue_name } of bindings) {
    if (type === "d1" && !state.databases.some(({ uuid }) => uuid === id))
      return refuse(400, 10_181, `D1 binding 'DB' references database '${id}' which was not found.`)
    if (type === "queue" && !state.queues.some((queue) => queue.queue_name === queue_name))
      return refuse(400, 11_000, `Queue "${queue_name}" does not exist.`)
  }
  const before = state.workers.get(name)
  const worker = before ?? { name, versions: [], secrets: new Map<string, string>(), onWorkersDev: false }
  for (const { name: secret, type, text } of bindings) {
    if (type === "secret_text" && text !== undefined) worker.secrets.set(secret, text)
  }
  if (metadata.keep_bindings?.includes("secret_text") !== true) {
    for (const secret of worker.secrets.keys())
      if (!bindings.some((binding) => binding.name === secret)) worker.secrets.delete(secret)
  }
  const tag = metadata.migrations?.new_tag ?? worker.versions.at(-1)?.tag
  const plain = bindings.filter(({ type }) => type !== "secret_text")
  const version = { id: state.id(), bindings: plain, assets: {}, tag }
  worker.versions.push(version)
  state.workers.set(name, worker)
  return version
}

const uploaded = (version: Version) =>
  ok({
    id: version.id,
    deployment_id: version.id.replaceAll("-", ""),
    startup_time_ms: 12,
    resources: { script: { etag: version.id } },
    startup: {},
  })

const isAnswer = (value: Version | ApiAnswer): value is ApiAnswer => "status" in value

const SCRIPT = "^/workers/scripts/([^/]+)"

export const WORKER_ROUTES: ReadonlyArray<Route> = [
  [
    "workers",
    "GET",
    /^\/workers\/subdomain$/,
    ({ state }) => (state.subdomain === undefined ? notFound : ok({ subdomain: state.subdomain })),
  ],
  [
    "workers",
    "PUT",
    /^\/workers\/subdomain$/,
    (request) => {
      const subdomain = String(json(request)["subdomain"])
      if (request.state.takenSubdomains.has(subdomain)) return refuse(409, 10_031, "Subdomain is unavailable")
      request.state.subdomain = subdomain
      return ok({ subdomain })
    },
  ],
  [
    "workers",
    "GET",
    /^\/workers\/services\/([^/]+)$/,
    (request, name) =>
      withWorker(request, name, ({ versions }) =>
        ok({
          id: name,
          default_environment: {
            environment: "production",
            script: {
              id: name,
              tag: name,
              tags: [],
              migration_tag: versions.at(-1)?.tag,
              last_deployed_from: "wrangler",
            },
          },
        }),
      ),
  ],
  [
    "workers",
    "GET",
    new RegExp(`${SCRIPT}/settings$`),
    (request, name) =>
      withWorker(request, name, ({ versions, secrets }) =>
        ok({
          bindings: [
            ...(versions.at(-1)?.bindings ?? []),
            ...Array.from(secrets.keys(), (secret) => ({ name: secret, type: "secret_text" })),
          ],
        }),
      ),
  ],
  [
    "workers",
    "GET",
    new RegExp(`${SCRIPT}/secrets$`),
    (request, name) =>
      withWorker(request, name, ({ secrets }) =>
        ok(Array.from(secrets.keys(), (secret) => ({ name: secret, type: "secret_text" }))),
      ),
  ],
  [
    "workers",
    "GET",
    new RegExp(`${SCRIPT}/deployments$`),
    (request, name) =>
      withWorker(request, name, ({ versions }) => {
        const current = versions.at(-1)
        const deployment = { id: "d", source: "wrangler", versions: [{ version_id: current?.id, percentage: 100 }] }
        return ok({ deployments: current === undefined ? [] : [deployment] })
      }),
  ],
  [
    "workers",
    "POST",
    new RegExp(`${SCRIPT}/deployments$`),
    (request, name) => withWorker(request, name, () => ok({ id: "d" })),
  ],
  [
    "workers",
    "GET",
    new RegExp(`${SCRIPT}/versions/([^/]+)$`),
    (request, name, id) =>
      withWorker(request, name, () => ok({ id, metadata: { source: "wrangler" }, resources: { bindings: [] } })),
  ],
  [
    "workers",
    "POST",
    new RegExp(`${SCRIPT}/assets-upload-session$`),
    () => ok({ jwt: "header.e30.signature", buckets: [] }),
  ],
  [
    "workers",
    "POST",
    new RegExp(`${SCRIPT}/versions$`),
    async (request, name) => {
      const version = await upload(request, name)
      return isAnswer(version) ? version : uploaded(version)
    },
  ],
  [
    "workers",
    "PUT",
    new RegExp(`${SCRIPT}$`),
    async (request, name) => {
      const version = await upload(request, name)
      return isAnswer(version) ? version : uploaded(version)
    },
  ],
  [
    "workers",
    "POST",
    new RegExp(`${SCRIPT}/subdomain$`),
    (request, name) =>
      withWorker(request, name, (worker) => {
        worker.onWorkersDev = json(request)["enabled"] === true
        return ok({ enabled: worker.onWorkersDev, previews_enabled: false })
      }),
  ],
  [
    "workers",
    "GET",
    /^\/workers\/workers\/([^/]+)$/,
    (request, name) =>
      withWorker(request, name, ({ onWorkersDev }) =>
        ok({ id: name, name, subdomain: { enabled: onWorkersDev, previews_enabled: false } }),
      ),
  ],
  ["workers", "PATCH", new RegExp(`${SCRIPT}/script-settings$`), () => ok({})],
]
