// Receives one line of JSON on stdin (address, state folder, variables); bundles the Worker as `wrangler dev` does and runs it in workerd.
// Prints `serving URL` when it listens; reloads when a source file changes; ends on SIGTERM.
// Invariant: nothing is served but the Worker. Wrangler's explorer, its triggers (`/cdn-cgi/…`), its registry with the debug
// port, and the inspector need no key and reach every row, so they exist only when `inspect` asks for them.
import { createRequire } from "node:module"
import path from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { unstable_DevEnv, unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler"

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const CONFIG = path.join(ROOT, "wrangler.toml")
const MODULE_TYPES = {
  esm: "ESModule",
  commonjs: "CommonJS",
  "compiled-wasm": "CompiledWasm",
  text: "Text",
  buffer: "Data",
}

// The Miniflare that this wrangler was built with.
const { Log, LogLevel, Miniflare, convertV4MiniflareOptions } = createRequire(
  createRequire(import.meta.url).resolve("wrangler"),
)("miniflare")

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

/** What Miniflare runs: the bundle with the bindings of wrangler.toml and the variables of this start. */
const miniflareOptions = (settings, bundle) => {
  const { workerOptions, externalWorkers } = unstable_getMiniflareWorkerOptions(CONFIG)
  const { name, vars } = unstable_readConfig({ config: CONFIG })
  const { inspect } = settings
  return convertV4MiniflareOptions({
    rootPath: ROOT,
    host: settings.ip,
    port: settings.port,
    ...(settings.secure ? { https: true } : {}),
    ...(inspect === undefined ? {} : { inspectorHost: "127.0.0.1", inspectorPort: inspect }),
    unsafeLocalExplorer: inspect !== undefined,
    unsafeTriggerHandlers: false,
    unsafeObservability: false,
    unsafeInspectDurableObjects: inspect !== undefined,
    // Without a registry path there is no debug port.
    logRequests: false,
    log: new Log(LogLevel.WARN, { prefix: "workerd" }),
    handleStructuredLogs: printLog,
    resourcePersistencePath: path.join(settings.state, "v3"),
    resourceTmpPath: path.join(ROOT, ".wrangler/tmp"),
    workers: [
      // The variables replace those that wrangler reads from `.dev.vars`: the environment has overruled some of them.
      { ...workerOptions, name, ...modulesOf(bundle), bindings: { ...vars, ...settings.vars } },
      ...externalWorkers,
    ],
  })
}

/** The part of wrangler's development server that runs what its bundler made; there is no proxy in front. */
const makeRuntime = (settings, onServing) => {
  let miniflare
  let last = Promise.resolve()
  const run = async ({ bundle }) => {
    const options = miniflareOptions(settings, bundle)
    if (miniflare === undefined) miniflare = new Miniflare(options)
    else await miniflare.setOptions(options)
    const url = await miniflare.ready
    onServing(url, miniflare)
  }
  const nothing = () => {}
  return {
    onBundleStart: nothing,
    onPreviewTokenExpired: nothing,
    onBundleComplete: (event) => {
      last = last.then(() => run(event)).catch(fail)
    },
    teardown: () => miniflare?.dispose(),
  }
}

const noProxy = () => {
  const nothing = () => {}
  const { promise, resolve, reject } = Promise.withResolvers()
  promise.catch(nothing)
  return {
    ready: { promise, resolve, reject },
    onConfigUpdate: nothing,
    onBundleStart: nothing,
    onReloadStart: nothing,
    onReloadComplete: nothing,
    teardown: nothing,
  }
}

/** Ends with what went wrong at the bottom: a build's errors, a port that is taken. */
const fail = (error) => {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  console.error(cause instanceof Error ? cause.message : cause)
  process.exit(1)
}

const main = async () => {
  const settings = JSON.parse(await text(process.stdin))
  let served = false
  const runtime = makeRuntime(settings, async (url, miniflare) => {
    const inspector = settings.inspect === undefined ? undefined : await miniflare.getInspectorURL()
    if (served) return console.log("The Worker was built again and reloaded.")
    served = true
    if (inspector !== undefined) console.log(`inspector ${inspector.href}`)
    console.log(`serving ${url.href}`)
  })
  const server = new unstable_DevEnv({ runtimeFactories: [() => runtime], proxyFactory: noProxy })
  server.on("error", (event) => fail(event.cause ?? event))
  // A broken source file after the start is for its author to mend; before it there is nothing to serve.
  server.on("buildFailed", () => served || setTimeout(() => process.exit(1), 300))
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.once(signal, () => void server.teardown().then(() => process.exit(0), fail))
  }
  await server.startWorker({
    config: CONFIG,
    dev: {
      remote: false,
      watch: true,
      inspector: false,
      persist: settings.state,
      server: { hostname: settings.ip, port: settings.port },
    },
  })
}

main().catch(fail)
