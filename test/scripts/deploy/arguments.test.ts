// The command line of `npm run deploy`: the documented forms are accepted, unknown options are rejected by name.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { readArguments } from "../../../scripts/deploy/arguments.mjs"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const DOCUMENTS = ["README.md", "docs/deploy.md", "docs/production.md"]

const shown = DOCUMENTS.flatMap((name) =>
  Array.from(
    fs.readFileSync(path.join(ROOT, name), "utf8").matchAll(/npm run deploy(?: -- ([^`#\n]*[^`#\n .;]))?/g),
    ([, args = ""]) => args.split(" ").filter(Boolean),
  ),
)

it("every documented command is accepted", () => {
  expect(shown.length).toBeGreaterThan(10)
  for (const args of shown) expect(() => readArguments(args, {}), args.join(" ")).not.toThrow()
})

it.each([
  [["--nope"], "Unknown option '--nope'."],
  [["extra"], "Unexpected argument 'extra'"],
  [["--url", "perch.example.com"], "--url perch.example.com is not an http or https address."],
  [["--url", "https://perch.example.com?a=b"], "--url https://perch.example.com?a=b is not an http or https address."],
  [["--subdomain", "a_b"], "--subdomain a_b is not a name of the DNS."],
])("%j is refused by name", (args, message) => {
  expect(() => readArguments(args, {})).toThrow(message)
})

it("the option's account overrides the environment's, and a trailing slash of an address is removed", () => {
  const env = { CLOUDFLARE_ACCOUNT_ID: "of-the-environment" }
  expect(readArguments([], env).account).toBe("of-the-environment")
  expect(readArguments(["--account", "given"], env).account).toBe("given")
  expect(readArguments(["--url", "https://perch.example.com/"], {}).url).toBe("https://perch.example.com")
})

it("a relative --key-file refers to the folder in which npm was called, or to the working directory without npm", () => {
  const fileOf = (env: Readonly<Record<string, string>>) => readArguments(["--key-file", "root.key"], env).keyFile
  expect(fileOf({ npm_lifecycle_event: "deploy", INIT_CWD: "/home/me" })).toBe("/home/me/root.key")
  expect(fileOf({ npm_lifecycle_event: "release", INIT_CWD: "/home/me" })).toBe(path.resolve("root.key"))
  expect(readArguments([], {}).keyFile).toBeUndefined()
})
