// Receives wrangler.toml; returns the Worker's settings for Miniflare: plain data, without the variables that wrangler reads
// from `.dev.vars`.
import path from "node:path"
import { fileURLToPath } from "node:url"
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler"

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))

export const CONFIG = path.join(ROOT, "wrangler.toml")

export const workerConfig = () => {
  const { workerOptions: read, externalWorkers } = unstable_getMiniflareWorkerOptions(CONFIG)
  const { bindings: _bindings, ...workerOptions } = read
  const { name, vars } = unstable_readConfig({ config: CONFIG })
  return { workerOptions, externalWorkers, name, vars }
}
