// What npm would run where the package is installed.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"

const MANIFEST = path.resolve(import.meta.dirname, "../../package.json")
/** npm asks an app to approve a package that has one of these, even if it would not run it. */
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish"]

it("the package has no script that an app would have to approve when it installs it", () => {
  const { scripts } = JSON.parse(fs.readFileSync(MANIFEST, "utf8"))
  expect(Object.keys(scripts).filter((name) => INSTALL_SCRIPTS.includes(name))).toEqual([])
})
