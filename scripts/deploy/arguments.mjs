// Receives the command line of `npm run deploy`; returns its options. Unknown options are rejected by name.
import path from "node:path"
import { parseOptions } from "../parse-options.mjs"
import { typedFolder } from "../typed-folder.mjs"
import { DeployError } from "./errors.mjs"

const OPTIONS = {
  name: { type: "string" },
  account: { type: "string" },
  subdomain: { type: "string" },
  url: { type: "string" },
  "key-file": { type: "string" },
  free: { type: "boolean", default: false },
  check: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  verbose: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
}

export const HELP = `npm run deploy -- [options]
  --name NAME        the Worker's name; another than wrangler.toml's is a deployment of its own, with its own database and queues
  --dry-run          shows what exists and what would be done, and changes nothing
  --check            asks the deployed Worker whether it works, and changes nothing
  --free             for the free plan, which refuses the CPU limit of wrangler.toml
  --account ID       the account (CLOUDFLARE_ACCOUNT_ID)
  --subdomain NAME   registers this workers.dev subdomain if the account has none
  --url URL          where the Worker answers, if not at its workers.dev address
  --key-file FILE    writes a root key that is made into this file instead of printing it
  --verbose          shows what wrangler prints
  --help             prints this

From the environment: CLOUDFLARE_API_TOKEN, or the login of \`npx wrangler login\`; PERCH_ROOT_KEY and ANTHROPIC_API_KEY for
secrets that the Worker does not have yet. See docs/deploy.md for details.`

const address = (url) => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol) || /[?#]/.test(url))
    throw new DeployError(`--url ${url} is not an http or https address.`, "Write it as https://perch.example.com.")
  return url.replace(/\/+$/, "")
}

const subdomainOf = (name) => {
  if (name !== undefined && !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
    throw new DeployError(`--subdomain ${name} is not a name of the DNS.`, "Use small letters, digits and hyphens.")
  return name
}

export const readArguments = (argv, env) => {
  const { values } = parseOptions({ args: argv, options: OPTIONS }, (sentence) => new DeployError(sentence, HELP))
  const { name, free, check, verbose, help } = values
  return {
    name,
    account: values.account || env.CLOUDFLARE_ACCOUNT_ID || undefined,
    subdomain: subdomainOf(values.subdomain),
    url: values.url === undefined ? undefined : address(values.url),
    keyFile: values["key-file"] && path.resolve(typedFolder(["deploy"], env), values["key-file"]),
    free,
    check,
    dryRun: values["dry-run"],
    verbose,
    help,
  }
}
