// The final lines of a deployment: the address, what answers, and a new root key, once.
// Invariant: the file with the key is removed only if the key was printed or is in the file that the user named.
import { writeKeyFile } from "./secrets.mjs"

const modelLine = ({ model, modelKey }) => {
  const live = model === undefined ? modelKey.action !== "none" : model === "live"
  return live
    ? "model    the Messages API"
    : "model    offline: a small built-in model that is not Claude answers. Set ANTHROPIC_API_KEY to use Claude."
}

const keyLines = (rootKey, pending, keyFile) => {
  if (rootKey.action === "none")
    return [
      "key      none: the API answers 503 until PERCH_ROOT_KEY is set as a secret of the Worker (32 characters or more).",
    ]
  if (rootKey.unseen !== true)
    return [
      rootKey.value === undefined
        ? "key      kept as it was; not checked, because PERCH_ROOT_KEY is not in the environment here"
        : "key      the PERCH_ROOT_KEY of the environment",
    ]
  if (keyFile === undefined) {
    pending.remove()
    return ["", "The root key, shown this once. Keep it where you keep passwords:", "", `  ${rootKey.value}`, ""]
  }
  writeKeyFile(keyFile, rootKey.value)
  pending.remove()
  return [`key      written to ${keyFile}, which its owner alone can read`]
}

/** What to print after `deploy` returned `result`. */
export const summary = (result, { dryRun, check, keyFile }) => {
  if (dryRun) return ["Nothing was changed: this was a dry run."]
  const { url, worker, rootKey, pending } = result
  const config = `--config wrangler.${worker}.toml`
  return [
    "",
    check ? `Perch works at ${url}/` : `Perch is deployed. The console is at ${url}/`,
    modelLine(result),
    ...keyLines(rootKey, pending, keyFile),
    ...(check
      ? []
      : [`later    npm run deploy (again), npx wrangler tail ${config}, npx wrangler secret put NAME ${config}`]),
  ]
}
