// The secrets that the Worker gets. A secret that is set stays unchanged, because Cloudflare never shows it again.
// Invariants: a new root key is in a file that only its owner can read, from before it is sent until it was shown, so that an
// interrupted run loses no key; no secret is in an argument, in the output of a step or in a tracked file.
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { DeployError } from "./errors.mjs"

const ROOT_KEY_LENGTH = 32
const RANDOM_BYTES = 32

/** A root key of 256 random bits. */
const newRootKey = () => `perch_root_${randomBytes(RANDOM_BYTES).toString("base64url")}`

const privateFile = (file, text) => {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.writeFileSync(file, text, { mode: 0o600 })
  fs.chmodSync(file, 0o600)
}

/** Rejects a `--key-file` that can't be written: found only after the deployment, the key would be lost with this job. */
export const prepareKeyFile = (file) => {
  try {
    fs.closeSync(fs.openSync(file, "a", 0o600))
    fs.chmodSync(file, 0o600)
  } catch ({ code }) {
    throw new DeployError(
      `--key-file ${file} can't be written (${code}).`,
      "Nothing was changed. Give a file that this user can write, in a folder that exists.",
    )
  }
}

/** Writes the key into `--key-file`, which `prepareKeyFile` has accepted. */
export const writeKeyFile = (file, key) => fs.writeFileSync(file, `${key}\n`, { mode: 0o600 })

/** The file that stores a new root key until it was shown. */
export class PendingKey {
  constructor(root, worker) {
    this.file = path.join(root, ".wrangler/deploy", `${worker}.root-key`)
  }

  read() {
    return fs.existsSync(this.file) ? fs.readFileSync(this.file, "utf8").trim() || undefined : undefined
  }

  write(key) {
    privateFile(this.file, `${key}\n`)
  }

  remove() {
    fs.rmSync(this.file, { force: true })
  }
}

/**
 * The value of a root key that the Worker already has: from the environment, or from a run that was interrupted before it was
 * shown.
 */
const keptKey = (given, pending) => {
  if (given !== undefined) return { value: given, from: "PERCH_ROOT_KEY of the environment" }
  const value = pending.read()
  return value === undefined ? {} : { value, from: `the one in ${pending.file}`, unseen: true }
}

/**
 * What happens with each secret.
 * @param {{ set: ReadonlyArray<string>, env: Record<string, string | undefined>, pending: PendingKey, workersBuilds: boolean, canKeepKey: boolean }} input
 *   `set`: the names that the Worker has; `canKeepKey`: whether a key that is made here reaches its owner
 * @returns the root key's `action` ("keep", "set", "create" or "none") and `value`, where this run knows it; the model's key likewise
 */
export const planSecrets = ({ set, env, pending, workersBuilds, canKeepKey }) => {
  const given = env.PERCH_ROOT_KEY || undefined
  const model = env.ANTHROPIC_API_KEY || undefined
  const modelKey = set.includes("ANTHROPIC_API_KEY")
    ? { action: "keep" }
    : { action: model === undefined ? "none" : "set", value: model }
  if (set.includes("PERCH_ROOT_KEY")) return { rootKey: { action: "keep", ...keptKey(given, pending) }, modelKey }
  if (given !== undefined && given.length < ROOT_KEY_LENGTH)
    throw new DeployError(
      `PERCH_ROOT_KEY has ${given.length} characters, and the Worker refuses one of less than ${ROOT_KEY_LENGTH}.`,
      "Set a longer one, or none: this command then generates one.",
    )
  if (given !== undefined) return { rootKey: { action: "set", value: given }, modelKey }
  if (workersBuilds) return { rootKey: { action: "none" }, modelKey }
  if (!canKeepKey)
    throw new DeployError(
      "The Worker has no PERCH_ROOT_KEY, and one that was made here would end in the log of this job.",
      "Set PERCH_ROOT_KEY as a secret of the job (openssl rand -base64 32), or give --key-file FILE.",
    )
  return { rootKey: { action: "create", value: pending.read() }, modelKey }
}

/** Generates the value of a new root key, which is stored before it is sent. */
export const makeRootKey = (rootKey, pending) => {
  if (rootKey.action !== "create") return rootKey
  const value = rootKey.value ?? newRootKey()
  pending.write(value)
  return { ...rootKey, value, unseen: true }
}

/**
 * Runs `work` with the file that `wrangler deploy --secrets-file` reads, or with none when there is nothing to set.
 * The file is its owner's alone and gone afterwards.
 */
export const withSecretsFile = async (root, worker, secrets, work) => {
  const file = path.join(root, ".wrangler/deploy", `${worker}.secrets.json`)
  // Left over from a run that was killed.
  fs.rmSync(file, { force: true })
  if (Object.keys(secrets).length === 0) return work(undefined)
  privateFile(file, JSON.stringify(secrets))
  try {
    return await work(file)
  } finally {
    fs.rmSync(file, { force: true })
  }
}
