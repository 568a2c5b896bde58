// Receives a bundle of the Worker, its settings in wrangler.toml, and the settings of a local server; returns Miniflare's
// options. Invariant: the bindings are those of wrangler.toml, `LOCAL_DISK` and `PERCH_LOCAL_RUNTIME`.
import { statfs } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const MODULE_TYPES = {
  esm: "ESModule",
  commonjs: "CommonJS",
  "compiled-wasm": "CompiledWasm",
  text: "Text",
  buffer: "Data",
}

// The Miniflare that this wrangler was built with.
const wranglerRequire = createRequire(createRequire(import.meta.url).resolve("wrangler"))
const { Log, LogLevel, Miniflare, Response, convertV4MiniflareOptions } = wranglerRequire("miniflare")
const { version: workerd } = createRequire(wranglerRequire.resolve("miniflare"))("workerd/package.json")

const modulesOf = (bundle) => {
  const root = path.dirname(bundle.path)
  const typeOf = (type) => {
    if (MODULE_TYPES[type] === undefined) throw new Error(`a module of type ${type} can't be served`)
    return MODULE_TYPES[type]
  }
  return {
    modulesRoot: root,
    modules: [
      { type: "ESModule", path: bundle.path, contents: bundle.entrypointSource },
      ...bundle.modules.map(({ name, type, content }) => ({
        type: typeOf(type ?? "esm"),
        path: path.resolve(root, name),
        contents: content,
      })),
    ],
  }
}

const printLog = ({ level, message }) =>
  level === "error" || level === "warn" ? console.error(message) : console.log(message)

/**
 * The bytes that this user can still write on the state's disk: with it the Worker distinguishes a full disk from other
 * errors.
 */
const freeBytes = async (state) => {
  const { bavail, bsize } = await statfs(state)
  return new Response(String(bavail * bsize))
}

/** The network of a server without network access. */
const refuse = ({ url }) =>
  new Response(`The request to ${new URL(url).host} was not sent: this server has no network access`, { status: 403 })

/** What both kinds of options have in common: the files, the log, and what is closed unless it is `inspected`. */
const sharedOptions = ({ state }, inspected) => ({
  rootPath: ROOT,
  unsafeLocalExplorer: inspected,
  unsafeTriggerHandlers: false,
  unsafeObservability: false,
  unsafeInspectDurableObjects: inspected,
  // Without a registry path there is no debug port.
  logRequests: false,
  log: new Log(LogLevel.WARN, { prefix: "workerd" }),
  handleStructuredLogs: printLog,
  resourcePersistencePath: path.join(state, "v3"),
  resourceTmpPath: path.join(ROOT, ".wrangler/tmp"),
})

/** Miniflare's options for the D1 database alone: its Worker answers nothing, and its port is unknown to clients. */
export const databaseOptions = (settings, { workerOptions: { compatibilityDate, d1Databases }, name }) =>
  convertV4MiniflareOptions({
    ...sharedOptions(settings, false),
    host: "127.0.0.1",
    port: 0,
    workers: [{ name, compatibilityDate, d1Databases, modules: true, script: "export default {}" }],
  })

/** Miniflare's options: the bundle with the bindings of wrangler.toml and the variables of this start. */
export const miniflareOptions = (settings, bundle, { workerOptions, externalWorkers, name, vars }) => {
  const { inspect } = settings
  return convertV4MiniflareOptions({
    ...sharedOptions(settings, inspect !== undefined),
    host: settings.ip,
    port: settings.port,
    ...(settings.secure ? { https: true } : {}),
    ...(inspect === undefined ? {} : { inspectorHost: "127.0.0.1", inspectorPort: inspect }),
    workers: [
      {
        ...workerOptions,
        name,
        ...modulesOf(bundle),
        bindings: { ...vars, ...settings.vars, PERCH_LOCAL_RUNTIME: `workerd ${workerd}` },
        ...(settings.isolated ? { outboundService: refuse } : {}),
        serviceBindings: { ...workerOptions.serviceBindings, LOCAL_DISK: () => freeBytes(settings.state) },
      },
      ...externalWorkers,
    ],
  })
}

export { Miniflare }
