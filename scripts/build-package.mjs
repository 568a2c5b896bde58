// Builds the content of the package for `npm pack`: the client into dist/client, the schemas into dist/schemas, the router into
// dist/interop, workflows into dist/signals.
import path from "node:path"
import { fileURLToPath } from "node:url"
import { buildClient } from "./build-client.mjs"
import { buildInterop, buildSchemas, buildSignals } from "./build-schemas.mjs"

const DIST = path.resolve(import.meta.dirname, "../dist")

const BUNDLES = { client: buildClient, schemas: buildSchemas, interop: buildInterop, signals: buildSignals }

/** Builds everything; returns a line for each bundle with its size. */
export const buildPackage = async () => {
  const lines = Object.entries(BUNDLES).map(async ([name, build]) => {
    const bytes = await build(path.join(DIST, name))
    return `dist/${name}: ${Math.round(bytes / 1024)} KiB`
  })
  return (await Promise.all(lines)).join("\n")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildPackage())
