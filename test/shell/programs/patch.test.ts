// patch through the Bash tool; the expected results were compared with GNU patch 2.7.6.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run } from "../../tools/tool-context.ts"

const TREES = `mkdir a b; printf '1\\n2\\n3\\n' > a/f; printf '1\\n2x\\n3\\n' > b/f; echo new > b/n; echo old > a/o
diff -ruN a b > p; cp -r a c; cd c;`

const printed = async (command: string): Promise<string> =>
  String((await run(bashTool, { command }, openContext().context)).content)

describe("patch", () => {
  it.each([
    ["changes, makes and removes files", "patch -s -p1 < ../p; cat f n; ls", "1\n2x\n3\nnew\nf\nn"],
    ["undoes a patch", "patch -s -p1 -i ../p; patch -s -R -p1 -i ../p; cat f o; ls", "1\n2\n3\nold\nf\no"],
    ["changes nothing in a dry run", "patch --dry-run -p1 < ../p > /dev/null; cat f; ls", "1\n2\n3\nf\no"],
    [
      "removes directories that it empties",
      "cd ..; mkdir -p a/d/e b; echo x > a/d/e/g; diff -ruN a b > q; cp -r a g; cd g; patch -s -p1 < ../q; ls",
      "f\nn",
    ],
    [
      "creates no file that exists",
      "echo mine > n; patch -s -p1 < ../p; echo $?; cat n f",
      "patch: the patch would create n, which exists already: it is left as it is\n1\nmine\n1\n2x\n3",
    ],
    ["works in a directory", "cd ..; patch -s -d c -p1 < p; cat c/f", "1\n2x\n3"],
  ])("%s", async (_, command, output) => {
    expect(await printed(`${TREES} ${command}`)).toBe(output)
  })

  it("patches the given file, wherever its lines are now", async () => {
    const script = "seq 30 > s; sed '15s/.*/fifteen/' s > t; diff -u s t > p; sed -i 1,3d s; patch s p; grep -n fif s"
    expect(await printed(script)).toBe("patching file s\n12:fifteen")
  })

  it.each(["../f", "/workspace/f", "d/../../f"])("changes no file outside of its directory: %s", async (name) => {
    const patch = `--- ${name}\\n+++ ${name}\\n@@ -1 +1 @@\\n-a\\n+b\\n`
    const script = `echo a > f; mkdir -p d/d; cd d; printf -- '${patch}' | patch -p0; echo $?; cat ../f`
    const message = `patch: **** the file name ${name} leaves the directory: name the file instead`
    expect(await printed(script)).toBe(`${message}\n2\na`)
  })

  it("leaves a file unchanged if a hunk does not match", async () => {
    const script = `printf 'x\\ny\\n' > f; printf -- '--- a/f\\n+++ b/f\\n@@ -1,2 +1,2 @@\\n q\\n-r\\n+s\\n' | patch -p1; echo $?; cat f`
    expect(await printed(script)).toBe("patching file f\npatch: a hunk FAILED: f is left as it is\n1\nx\ny")
  })

  it("rejects an invalid patch", async () => {
    expect(await printed("echo garbage | patch f")).toContain("patch: **** Only garbage was found")
    expect(await printed("patch -p1 -i nothing")).toContain("patch: **** Can't open patch file nothing")
  })

  it("applies the rules of its call to the files that it changes", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/.env", "a\n")
    const files = {
      refusal: (_: string, names: () => ReadonlyArray<string>) => (names().includes("/workspace/.env") ? "no" : null),
    }
    const command = "printf -- '--- .env\\n+++ .env\\n@@ -1 +1 @@\\n-a\\n+b\\n' | patch -p0"
    const outcome = await run(bashTool, { command }, { ...context, files })
    outcome.commit?.([])
    expect(workspace.readText("/workspace/.env")).toBe("a\n")
  })
})
