// Builds the content of the package for `npm pack`: the client into dist/client, the schemas into dist/schemas, the router into
// dist/interop, workflows into dist/signals.
import path from "node:path"
import { fileURLToPath } from "node:url"
import { buildClient } from "./build-client.mjs"
import { buildInterop, buildSchemas, buildSignals } from "./build-schemas.mjs"

const DIST = path.resolve(import.meta.dirname, "../dist")

/** Builds everything; returns a line for each bundle with its size. */
export const buildPackage = async () => {
  const built = await Promise.all([
    buildClient(path.join(DIST, "client")),
    buildSchemas(path.join(DIST, "schemas")),
    buildInterop(path.join(DIST, "interop")),
    buildSignals(path.join(DIST, "signals")),
  ])
  const [client, schemas, interop, signals] = built.map((bytes) => Math.round(bytes / 1024))
  return `dist/client: ${client} KiB\ndist/schemas: ${schemas} KiB\ndist/interop: ${interop} KiB\ndist/signals: ${signals} KiB`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildPackage())
