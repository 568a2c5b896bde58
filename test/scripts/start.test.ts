// `npm start` in a clone that is not ready for it.
import { execFile } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../..")

it("says that the packages are not installed", async () => {
  const clone = fs.mkdtempSync(path.join(os.tmpdir(), "perch-clone-"))
  try {
    for (const name of ["scripts", "package.json", "package-lock.json"])
      fs.cpSync(path.join(ROOT, name), path.join(clone, name), { recursive: true })
    const started = promisify(execFile)(process.execPath, ["scripts/start.mjs", "--port", "0"], { cwd: clone })
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("FAIL  packages: none are installed → npm ci") as string,
    })
  } finally {
    fs.rmSync(clone, { recursive: true, force: true })
  }
})
