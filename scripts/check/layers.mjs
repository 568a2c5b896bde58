// The folders of `src/` by stage, and which folders a file may import: its own and those of earlier stages.
// Invariant: imports point in one direction, so that a change in one stage can't affect earlier ones.
import path from "node:path"

/** Folders by stage, from the most basic to the most dependent. Folders of the same stage don't import each other. */
const STAGES = [
  ["schemas"],
  ["net"],
  ["limits", "model", "permissions", "hooks", "workspace", "views", "store", "observe"],
  ["shell", "recording"],
  ["tools", "mcp"],
  ["agent", "interop", "signals"],
  ["webhooks"],
  ["session"],
  ["http"],
]

/** Exceptions: folders of the same stage that a folder may import. */
const EXCEPTIONS = { store: "views", mcp: "tools" }

/** Programs on the user's side: they share only the schemas with the server. The console is an app of the client. */
const CLIENTS = { client: ["schemas"], console: ["client", "schemas"] }

/** The file that combines all stages. */
const ROOT_FILE = "worker.ts"

const stageOf = (folder) => STAGES.findIndex((stage) => stage.includes(folder))

/** Whether a file in the folder `from` of `src/` may import one in the folder `to`. Unknown folders may import nothing. */
const mayImport = (from, to) => {
  if (from === to || EXCEPTIONS[from] === to) return true
  if (to === ROOT_FILE) return false
  if (from === ROOT_FILE) return true
  if (from in CLIENTS || to in CLIENTS) return CLIENTS[from]?.includes(to) === true
  return stageOf(from) !== -1 && stageOf(to) !== -1 && stageOf(to) < stageOf(from)
}

const IMPORT = /(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g

/** Receives the path of a file relative to `src/`, and its text; returns its imports that violate the order. */
export const backwardImports = (file, text) => {
  const from = file.split("/")[0]
  return Array.from(text.matchAll(IMPORT), ([, target]) => path.posix.join(path.posix.dirname(file), target))
    .filter((target) => !target.startsWith("../") && !mayImport(from, target.split("/")[0]))
    .map((target) => `src/${file} may not import src/${target}: imports point one way, see scripts/check/layers.mjs.`)
}
