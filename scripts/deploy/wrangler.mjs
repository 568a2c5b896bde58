// Runs the project's own wrangler, and finds the credentials that it uses.
// Invariant: wrangler never prompts, because its input is closed. Its output is shown only on request, or as the reason of a
// failure.
import { spawn } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { SECRETS } from "../setting-names.mjs"
import { DeployError, stopped, wranglerError } from "./errors.mjs"

export class Wrangler {
  /** @param {{ root: string, env: Record<string, string | undefined>, show?: (text: string) => void }} input */
  constructor({ root, env, show = () => {} }) {
    this.root = root
    this.env = { ...env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", NO_COLOR: "1" }
    // Settings of the Worker that wrangler does not need.
    for (const name of SECRETS) delete this.env[name]
    this.show = show
    this.oauth = false
    this.child = undefined
    this.stopped = false
  }

  /** Selects the account for later commands. */
  use(account, oauth) {
    this.env = { ...this.env, CLOUDFLARE_ACCOUNT_ID: account }
    this.oauth = oauth
  }

  async #run(args) {
    const file = path.join(this.root, "node_modules/wrangler/bin/wrangler.js")
    if (!fs.existsSync(file))
      throw new DeployError("The project's packages are not installed.", "Run `npm ci`, then this again.")
    if (this.stopped) throw stopped()
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [file, ...args], {
        cwd: this.root,
        env: this.env,
        stdio: ["ignore", "pipe", "pipe"],
      })
      this.child = child
      let output = ""
      let errors = ""
      child.stdout.on("data", (chunk) => {
        output += chunk
        this.show(String(chunk))
      })
      child.stderr.on("data", (chunk) => {
        errors += chunk
        this.show(String(chunk))
      })
      child.on("error", reject)
      child.on("close", (code) => {
        this.child = undefined
        resolve({ code, output, all: output + errors })
      })
    })
  }

  async #done(name, args) {
    const { code, all } = await this.#run(args)
    if (this.stopped) throw stopped()
    if (code !== 0) throw wranglerError(name, all, this.oauth)
  }

  /** Ends the running command, and starts no other. Returns whether one was running; its step then fails. */
  stop() {
    this.stopped = true
    return this.child?.kill("SIGTERM") ?? false
  }

  /** The credentials of the environment, of `.env`, or of `wrangler login`. */
  async credentials() {
    const { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_KEY: key, CLOUDFLARE_EMAIL: email } = this.env
    if (token) return { type: "api_token", token }
    if (key && email) return { type: "api_key", key, email }
    const shown = this.show
    this.show = () => {}
    const { code, output, all } = await this.#run(["auth", "token", "--json"])
    this.show = shown
    if (code !== 0) throw wranglerError("auth token", all, true)
    return JSON.parse(output)
  }

  /** Applies the missing `migrations/` to the database. */
  migrate(config) {
    return this.#done("d1 migrations apply", ["d1", "migrations", "apply", "DB", "--remote", "--config", config])
  }

  /** Bundles and uploads the Worker with its pages, and connects its queues. */
  deploy(config, secretsFile) {
    const secrets = secretsFile === undefined ? [] : ["--secrets-file", secretsFile]
    return this.#done("deploy", ["deploy", "--config", config, ...secrets])
  }
}
