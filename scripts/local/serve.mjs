// Receives one line of JSON on stdin (address, state folder, variables); bundles the Worker as `wrangler dev` does and runs it in workerd.
// Prints `serving URL` when it listens; reloads when a source file changes; ends on SIGTERM.
// Invariant: nothing is served but the Worker. Wrangler's explorer, its triggers (`/cdn-cgi/…`), its registry with the debug
// port, and the inspector need no key and reach every row, so they exist only when `inspect` asks for them.
import path from "node:path"
import { text } from "node:stream/consumers"
import { unstable_DevEnv } from "wrangler"
import { migrate } from "./migrate.mjs"
import { Miniflare, miniflareOptions } from "./miniflare-options.mjs"
import { CONFIG, workerConfig } from "./worker-config.mjs"

const MIGRATIONS = path.join(path.dirname(CONFIG), "migrations")

/** The part of wrangler's development server that runs what its bundler made; there is no proxy in front. */
const makeRuntime = (settings, onServing) => {
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
