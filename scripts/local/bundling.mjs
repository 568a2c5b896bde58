// Receives the settings of a local server and the runtime for bundles; bundles the Worker as `wrangler dev` does, at once and
// after each change of a source file.
// Invariant: wrangler is loaded only here and in the imports of this file, which takes a second: a start that needs no bundle
// avoids that.
import { unstable_DevEnv } from "wrangler"
import { CONFIG, workerConfig } from "./worker-config.mjs"

const nothing = () => {}

/** The part of wrangler's development server that runs its bundler's output; without its proxy. */
const controllerOf = ({ run, dispose }) => ({
  onBundleStart: nothing,
  onPreviewTokenExpired: nothing,
  onBundleComplete: ({ bundle }) => run({ bundle, config: workerConfig() }),
  teardown: dispose,
})

const noProxy = () => {
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

/**
 * Passes every bundle to `runtime.run`, with the Worker's settings in wrangler.toml. `onError` receives an error after which
 * bundling can't continue; `onBuildFailed` is called when a source file is broken.
 */
export const bundleAndWatch = async (settings, runtime, { onError, onBuildFailed }) => {
  const server = new unstable_DevEnv({ runtimeFactories: [() => controllerOf(runtime)], proxyFactory: noProxy })
  server.on("error", (event) => onError(event.cause ?? event))
  server.on("buildFailed", onBuildFailed)
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
