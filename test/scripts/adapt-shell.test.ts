import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Bash } from "just-bash/browser"
import { RE2JS } from "re2js"
import { describe, expect, it, vi } from "vitest"
import { adaptShell } from "../../scripts/adapt-shell.mjs"
import { SHELL_PROGRAMS } from "../../src/tools/bash/shell-programs.ts"
import { cpuTime } from "../support/values/cpu-time.ts"

const search = (pattern: string) => new Bash({ files: { "/f": "aKb\nab\n" } }).exec(`rg -o '${pattern}' /f`)

describe("the shell of an installed Perch", () => {
  it("uses Perch's own RE2JS", async () => {
    const compile = vi.spyOn(RE2JS, "compile")
    expect(await search("a.?b")).toMatchObject({ stdout: "aKb\nab\n", exitCode: 0 })
    expect(compile).toHaveBeenCalledWith("a.?b", expect.anything())
    compile.mockRestore()
  })

  it("rejects an unknown escape", async () => {
    expect(await search(String.raw`a\Rb`)).toMatchObject({ stdout: "", exitCode: 2 })
  })

  it("lacks the programs that Perch replaces, and has those that Perch corrects", async () => {
    const names = SHELL_PROGRAMS.map(({ name }) => name).join(" ")
    const { stdout } = await new Bash().exec(`for name in ${names}; do command -v $name; done`)
    const corrected = "bash cp date env expr ln mv nl paste printenv rg sh stat"
    expect(
      stdout
        .trim()
        .split("\n")
        .map((file) => path.basename(file))
        .sort()
        .join(" "),
    ).toBe(corrected)
    const source = fs.readFileSync(fileURLToPath(import.meta.resolve("just-bash/browser")), "utf8")
    expect(source).not.toContain('from"minimatch"')
  })
})

describe("adaptShell", () => {
  it("makes the error of a program that another build has that of any missing program", async () => {
    expect(await new Bash().exec("python3 -V")).toMatchObject({
      stderr: "bash: python3: command not found\n",
      exitCode: 127,
    })
  })

  it("makes a shell that accepts completions, and describes only builtins that it has", async () => {
    const { stdout } = await new Bash().exec("complete -F f git; compopt -o nospace; echo $?; help -s fg; help -s wait")
    expect(stdout).toBe("0\nwait: wait [-fn] [id ...]\n")
  })

  it("makes a `column` that keeps empty fields between separators", async () => {
    const { stdout } = await new Bash({ files: { "/f": "a,,b;c\n1,22,3;4\n" } }).exec("column -t -s ',;' /f")
    expect(stdout).toBe("a      b  c\n1  22  3  4\n")
  })

  it("adds the one-pass removal of newlines to a shell that already shares RE2JS", async () => {
    const installed = path.join(import.meta.dirname, "../../node_modules")
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-share-"))
    const modules = path.join(folder, "node_modules")
    fs.mkdirSync(modules)
    for (const name of fs.readdirSync(installed)) {
      if (name !== "just-bash") fs.symlinkSync(fs.realpathSync(path.join(installed, name)), path.join(modules, name))
    }
    const bundle = "just-bash/dist/bundle"
    fs.cpSync(path.join(installed, bundle), path.join(modules, bundle), { recursive: true })
    fs.copyFileSync(path.join(installed, "just-bash/package.json"), path.join(modules, "just-bash/package.json"))
    const file = path.join(modules, bundle, "browser.js")
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll("replace(/(?<!\\n)\\n+$/", "replace(/\\n+$/"))
    expect([adaptShell(file), adaptShell(file)]).toEqual([true, false])
    // The copy has the types of what it was copied from.
    const { Bash: Adapted } = (await import(pathToFileURL(file).href)) as typeof import("just-bash/browser")
    const spent = cpuTime()
    const shell = new Adapted({ files: { "/f": `${"\n".repeat(300_000)}x\n\n` } })
    const script = 'x=$(cat /f); echo ${#x}; y=$(echo a; echo); echo "<$y>"'
    expect(await shell.exec(script)).toMatchObject({ stdout: "300001\n<a>\n" })
    expect(spent()).toBeLessThan(4_000)
    fs.rmSync(folder, { recursive: true })
  })

  it("leaves another version of just-bash unchanged, and names the script to adapt", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-share-"))
    const file = path.join(folder, "browser.js")
    fs.writeFileSync(file, "export {}")
    expect(() => adaptShell(file)).toThrow("Adapt scripts/adapt-shell.mjs")
    expect(fs.readFileSync(file, "utf8")).toBe("export {}")
    fs.rmSync(folder, { recursive: true })
  })

  it("does nothing if just-bash is not installed", () => {
    expect(adaptShell(path.join(os.tmpdir(), "perch-no-such-file.js"))).toBe(false)
  })
})
