// Runs the project's own wrangler, and finds the credentials that it uses.
// Invariant: it never asks: its input is closed. What it prints is shown only when it is asked for, or as the reason of a failure.
import { spawn } from "node:child_process"
import path from "node:path"
import { notLoggedIn, wranglerError } from "./errors.mjs"

/** Settings of the Worker that wrangler has no use for. */
const SECRETS = ["PERCH_ROOT_KEY", "ANTHROPIC_API_KEY"]

export class Wrangler {
  /** @param {{ root: string, env: Record<string, string | undefined>, show?: (text: string) => void }} input */
  constructor({ root, env, show = () => {} }) {
    this.root = root
    this.env = { ...env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", NO_COLOR: "1" }
    for (const name of SECRETS) delete this.env[name]
    this.show = show
    this.oauth = false
  }

  /** Later commands work on this account. */
  use(account, oauth) {
    this.env = { ...this.env, CLOUDFLARE_ACCOUNT_ID: account }
    this.oauth = oauth
  }

  #run(args) {
    const file = path.join(this.root, "node_modules/wrangler/bin/wrangler.js")
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [file, ...args], {
        cwd: this.root,
        env: this.env,
        stdio: ["ignore", "pipe", "pipe"],
      })
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
      child.on("close", (code) => resolve({ code, output, all: output + errors }))
    })
  }

  async #done(name, args) {
    const { code, all } = await this.#run(args)
    if (code !== 0) throw wranglerError(name, all, this.oauth)
  }

  /** The credentials of the environment, of `.env`, or of `wrangler login`. */
  async credentials() {
    const { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_KEY: key, CLOUDFLARE_EMAIL: email } = this.env
    if (token) return { type: "api_token", token }
    if (key && email) return { type: "api_key", key, email }
    const shown = this.show
    this.show = () => {}
    const { code, output } = await this.#run(["auth", "token", "--json"])
    this.show = shown
    if (code !== 0) throw notLoggedIn()
    return JSON.parse(output)
  }

  /** Applies what the database lacks of `migrations/`. */
  migrate(config) {
    return this.#done("d1 migrations apply", ["d1", "migrations", "apply", "DB", "--remote", "--config", config])
  }

  /** Bundles and uploads the Worker with its pages, and connects its queues. */
  deploy(config, secretsFile) {
    const secrets = secretsFile === undefined ? [] : ["--secrets-file", secretsFile]
    return this.#done("deploy", ["deploy", "--config", config, ...secrets])
  }
}
