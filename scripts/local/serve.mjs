// Receives one line of JSON on stdin (address, state folder, variables); bundles the Worker as `wrangler dev` does, or takes
// the bundle of an earlier start, applies the missing D1 migrations, and runs the Worker in workerd.
// Prints `serving URL` when it listens; reloads when a source file changes; ends on SIGTERM.
// Invariant: nothing is served but the Worker. Wrangler's explorer, its triggers (`/cdn-cgi/…`), its registry with the debug
// port, and the inspector need no key and reach every row, so they exist only when `inspect` asks for them.
import fs from "node:fs"
import path from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { bundleCache } from "./bundle-cache.mjs"
import { localDatabase } from "./local-database.mjs"
import { databaseOptions, Miniflare, miniflareOptions } from "./miniflare-options.mjs"
import { lockState } from "./state-lock.mjs"

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))

/** Applies the missing migrations in a workerd that has only the database: no request and no alarm can come first. */
const bringUpToDate = async (database, settings, config) => {
  database.prepare()
  if (database.isMigrated()) return
  const { migrate } = await import("./migrate.mjs")
  const miniflare = new Miniflare(databaseOptions(settings, config))
  try {
    await migrate(await miniflare.getD1Database("DB", config.name), path.join(ROOT, "migrations"))
  } finally {
    await miniflare.dispose()
  }
  database.migrated()
}

/** Runs one bundle after the other, each with the Worker's settings for it. */
const makeRuntime = (settings, { onBundle, onServing }) => {
  const database = localDatabase(ROOT, settings.state)
  let miniflare
  let last = Promise.resolve()
  const run = async ({ bundle, config }) => {
    const options = miniflareOptions(settings, bundle, config)
    if (miniflare === undefined) {
      await bringUpToDate(database, settings, config)
      miniflare = new Miniflare(options)
    } else await miniflare.setOptions(options)
    onServing(await miniflare.ready, miniflare)
  }
  return {
    run: (made) => {
      onBundle(made)
      last = last.then(() => run(made)).catch(fail)
    },
    dispose: async () => miniflare?.dispose(),
  }
}

/** Exits with the root cause: a build's errors, a port in use. */
const fail = (error) => {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  console.error(cause instanceof Error ? cause.message : cause)
  process.exit(1)
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
  await lockState(settings.state)
  let served = false
  let stop
  // A debugger needs the source map, which wrangler writes only when it bundles.
  const cache = settings.inspect === undefined ? bundleCache(ROOT) : undefined
  const known = cache?.read() ?? null
  const runtime = makeRuntime(settings, {
    onBundle: (made) => known === null && !served && cache?.write(made),
    onServing: async (url, miniflare) => {
      const inspector = settings.inspect === undefined ? undefined : await miniflare.getInspectorURL()
      if (served) return console.log("The Worker was built again and reloaded.")
      served = true
      if (inspector !== undefined) console.log(`inspector ${inspector.href}`)
      console.log(`serving ${url.href}`)
    },
  })
  stop = runtime.dispose
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.once(signal, () => void stop().then(() => process.exit(0), fail))
  }
  const startBundling = async () => {
    const { bundleAndWatch } = await import("./bundling.mjs")
    const server = await bundleAndWatch(settings, runtime, {
      onError: fail,
      // A source file that breaks after the start is for its author to fix; before the start there is nothing to serve.
      onBuildFailed: () => served || setTimeout(() => process.exit(1), 300),
    })
    stop = () => server.teardown()
  }
  if (known === null) return startBundling()
  runtime.run(known)
  watchOnce(path.join(ROOT, "src"), () => startBundling().catch(fail))
}

main().catch(fail)
