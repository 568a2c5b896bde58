// Receives one line of JSON on stdin (address, state folder, variables); bundles the Worker as `wrangler dev` does, or takes
// the bundle of an earlier start, and runs it in workerd with its D1 migrations applied.
// Prints `serving URL` when it listens; reloads when a source file changes; ends on SIGTERM.
// Invariant: nothing is served but the Worker. Wrangler's explorer, its triggers (`/cdn-cgi/…`), its registry with the debug
// port, and the inspector need no key and reach every row, so they exist only when `inspect` asks for them.
import fs from "node:fs"
import path from "node:path"
import { text } from "node:stream/consumers"
import { unstable_DevEnv } from "wrangler"
import { bundleCache } from "./bundle-cache.mjs"
import { migrate } from "./migrate.mjs"
import { Miniflare, miniflareOptions } from "./miniflare-options.mjs"
import { CONFIG, workerConfig } from "./worker-config.mjs"

const ROOT = path.dirname(CONFIG)
const MIGRATIONS = path.join(ROOT, "migrations")

/** The part of wrangler's development server that runs what its bundler made; there is no proxy in front. */
const makeRuntime = (settings, { onBundle, onServing }) => {
  let miniflare
  let last = Promise.resolve()
  const run = async ({ bundle }) => {
    const config = workerConfig()
    const options = miniflareOptions(settings, bundle, config)
    const starts = miniflare === undefined
    if (starts) miniflare = new Miniflare(options)
    else await miniflare.setOptions(options)
    const url = await miniflare.ready
    if (starts) await migrate(await miniflare.getD1Database("DB", config.name), MIGRATIONS)
    onServing(url, miniflare)
  }
  const nothing = () => {}
  return {
    onBundleStart: nothing,
    onPreviewTokenExpired: nothing,
    onBundleComplete: (event) => {
      onBundle(event.bundle)
      last = last.then(() => run(event)).catch(fail)
    },
    teardown: async () => miniflare?.dispose(),
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

/** Bundles the Worker with wrangler, now and after each change of a source file; the runtime gets every bundle. */
const bundleAndWatch = async (settings, runtime, isServing) => {
  const server = new unstable_DevEnv({ runtimeFactories: [() => runtime], proxyFactory: noProxy })
  server.on("error", (event) => fail(event.cause ?? event))
  // A broken source file after the start is for its author to mend; before it there is nothing to serve.
  server.on("buildFailed", () => isServing() || setTimeout(() => process.exit(1), 300))
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
  return server
}

/** Calls `onChange` once, when a file in the folder changes. */
const watchOnce = (folder, onChange) => {
  const watcher = fs.watch(folder, { recursive: true }, () => {
    watcher.close()
    onChange()
  })
}

const main = async () => {
  const settings = JSON.parse(await text(process.stdin))
  let served = false
  let server
  // A debugger needs the source map, which wrangler writes only when it bundles.
  const cache = settings.inspect === undefined ? bundleCache(ROOT) : undefined
  const known = cache?.read() ?? null
  const runtime = makeRuntime(settings, {
    onBundle: (bundle) => known === null && !served && cache?.write(bundle),
    onServing: async (url, miniflare) => {
      const inspector = settings.inspect === undefined ? undefined : await miniflare.getInspectorURL()
      if (served) return console.log("The Worker was built again and reloaded.")
      served = true
      if (inspector !== undefined) console.log(`inspector ${inspector.href}`)
      console.log(`serving ${url.href}`)
    },
  })
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.once(signal, () => void (server ?? runtime).teardown().then(() => process.exit(0), fail))
  }
  const startBundling = async () => {
    server = await bundleAndWatch(settings, runtime, () => served)
  }
  if (known === null) return startBundling()
  runtime.onBundleComplete({ bundle: known })
  watchOnce(path.join(ROOT, "src"), () => startBundling().catch(fail))
}

main().catch(fail)
