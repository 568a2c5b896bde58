// Whether Node and the installed packages are those that the project needs, on artificial projects.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { checkNode, checkPackages } from "../../../scripts/doctor/packages.mjs"

const LINUX = { platform: "linux", arch: "x64" }
let top = ""
let count = 0

beforeAll(() => {
  top = fs.mkdtempSync(path.join(os.tmpdir(), "perch-packages-"))
})
afterAll(() => fs.rmSync(top, { recursive: true, force: true }))

const LOCK = {
  "": { name: "perch" },
  "node_modules/effect": { version: "4.1.0" },
  "node_modules/effect/node_modules/fast": { version: "1.0.0" },
  "node_modules/only-on-mac": { version: "1.0.0", optional: true },
}

/** A project with this lock file and these packages; null omits a file. */
const project = (locked: object | string | null, installed: object | null, workerd = "workerd-linux-64"): string => {
  const root = path.join(top, String((count += 1)))
  fs.mkdirSync(path.join(root, "node_modules/@cloudflare", workerd), { recursive: true })
  const write = (name: string, packages: object | string | null) =>
    packages === null ||
    fs.writeFileSync(path.join(root, name), typeof packages === "string" ? packages : JSON.stringify({ packages }))
  write("package-lock.json", locked)
  write("node_modules/.package-lock.json", installed)
  return root
}

const { "": _, "node_modules/only-on-mac": __, ...INSTALLED } = LOCK
const levels = (root: string, system = LINUX) => checkPackages(root, system).map(({ level, fix }) => [level, fix])

describe("Node", () => {
  it.each(["v20.12.0", "v22.0.0", "v24.21.0"])("%s is new enough", (version) =>
    expect(checkNode(version)[0]?.level).toBe("ok"),
  )
  it.each(["v16.20.2", "v18.20.0", "v20.11.1"])("%s is too old", (version) =>
    expect(checkNode(version)).toMatchObject([{ level: "fail", fix: expect.stringContaining("install Node 20.12") }]),
  )
})

describe("packages", () => {
  it("are checked against the lock file; those for other systems may be missing", () => {
    expect(levels(project(LOCK, INSTALLED))).toEqual([["ok", undefined]])
  })

  it.each([
    ["none were installed by npm", project.bind(null, LOCK, null)],
    [
      "one is of another version",
      project.bind(null, LOCK, { ...INSTALLED, "node_modules/effect": { version: "4.0.0" } }),
    ],
    ["one is missing", project.bind(null, LOCK, { "node_modules/effect": { version: "4.1.0" } })],
    ["a lock file is broken", project.bind(null, "{", INSTALLED)],
  ])("need `npm ci` when %s", (__, make) => expect(levels(make())).toEqual([["fail", "npm ci"]]))

  it("need `npm ci` if there are none, and the lock file if it is missing", () => {
    const root = path.join(top, "empty")
    fs.mkdirSync(root)
    expect(levels(root)).toEqual([["fail", "npm ci"]])
    expect(levels(project(null, INSTALLED))).toEqual([["fail", "git checkout package-lock.json"]])
  })

  it("of another system lack workerd, and some systems have none", () => {
    const mac = project(LOCK, INSTALLED, "workerd-darwin-arm64")
    expect(levels(mac)).toEqual([
      ["ok", undefined],
      ["fail", "rm -rf node_modules && npm ci"],
    ])
    expect(levels(mac, { platform: "darwin", arch: "arm64" })).toEqual([["ok", undefined]])
    expect(levels(mac, { platform: "freebsd", arch: "x64" })[1]?.[0]).toBe("fail")
  })
})
