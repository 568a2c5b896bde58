// Which files a rule applies to, for tools and for the commands that read and write files.
import { describe, expect, it } from "vitest"
import { decide } from "../../../src/permissions/decide.ts"
import { bash, grep, read, ruled, write } from "../../permissions/calls.ts"

const allowed = (rule: string, one: Parameters<typeof decide>[0]) =>
  decide(one, ruled({ allow: [rule] })).behavior === "allow"
const denied = (rule: string, one: Parameters<typeof decide>[0]) =>
  decide(one, ruled({ deny: [rule] }, "bypassPermissions")).behavior === "deny"

describe("rules for paths", () => {
  it.each([
    ["Edit(./src/**)", "/workspace/src/a/b.ts", true],
    ["Edit(src/**)", "/workspace/src/a.ts", true],
    ["Edit(/src/**)", "/workspace/src/a.ts", true],
    ["Edit(/src/**)", "/src/a.ts", false],
    ["Edit(//tmp/**)", "/tmp/a", true],
    ["Edit(//tmp/**)", "/workspace/tmp/a", false],
    ["Edit(~/a.txt)", "/workspace/a.txt", true],
    ["Edit(src)", "/workspace/src/a.ts", true],
    ["Edit(src)", "/workspace/lib/src/a.ts", true],
    ["Edit(src)", "/workspace/srcs/a.ts", false],
    ["Edit(*.ts)", "/workspace/lib/a.ts", true],
    ["Edit(*.ts)", "/workspace/lib/a.tsx", false],
    ["Edit(src/*.ts)", "/workspace/src/a.ts", true],
    ["Edit(src/*.ts)", "/workspace/src/lib/a.ts", false],
    ["Edit(**/*.test.ts)", "/workspace/a/b.test.ts", true],
    ["Edit(src/{a,b}.ts)", "/workspace/src/b.ts", true],
    ["Edit(n)", "/workspace/n", true],
    ["Edit(./lib/../n)", "/workspace/n", true],
    ["Edit", "/workspace/n", false],
    ["Write(./n)", "/workspace/n", false],
    ["Write(n)", "/workspace/n", false],
    ["NotebookEdit(n)", "/workspace/n", false],
    ["Read(n)", "/workspace/n", false],
    ["Write", "/workspace/n", true],
  ])("%s is a rule for writing %s: %s", (rule, path, expected) => {
    expect(allowed(rule, write(path))).toBe(expected)
    expect(denied(rule, write(path))).toBe(expected)
  })

  it("Read rules cover every tool that reads files, and Edit rules also allow reading", () => {
    expect(allowed("Read(//etc/**)", read("/etc/hosts"))).toBe(true)
    expect(allowed("Read(//etc/**)", grep("/etc/x"))).toBe(true)
    expect(allowed("Edit(//etc/**)", read("/etc/hosts"))).toBe(true)
    expect(allowed("Grep(//etc/**)", grep("/etc/x"))).toBe(false)
    expect(denied("Read(./secret/**)", read("/workspace/secret/k"))).toBe(true)
    expect(denied("Read(./secret/**)", grep("/workspace/secret"))).toBe(true)
    expect(denied("Read(./secret/**)", read("/workspace/other/k"))).toBe(false)
    expect(denied("Edit(./secret/**)", read("/workspace/secret/k"))).toBe(false)
  })

  it("a working directory with glob characters is matched literally", () => {
    const inOdd = (path: string) => ({ ...write(path), cwd: "/work[1]*" })
    expect(allowed("Edit(./a/**)", inOdd("/work[1]*/a/b"))).toBe(true)
    expect(allowed("Edit(./*.ts)", inOdd("/work[1]*/b.ts"))).toBe(true)
    expect(allowed("Edit(./*.ts)", inOdd("/work1x/b.ts"))).toBe(false)
  })

  it("an unusable pattern denies, and allows nothing", () => {
    const broken = `Edit(${"{a,b}".repeat(300)}*)`
    expect(denied(broken, write("/workspace/a"))).toBe(true)
    expect(allowed(broken, write("/workspace/a"))).toBe(false)
  })

  it.each([
    "cat secret/k.txt",
    "head -3 ./secret/k.txt",
    "cat < secret/k.txt",
    "cat /workspace/secret/k.txt",
    "cd secret && cat k.txt",
    "cd secret; cat k.txt",
    "(cd secret && cat k.txt)",
    "ls secret",
    "cp -r secret copy",
    "cat sec*/k.txt",
    "cat */k.txt",
    "grep -f secret/k.txt a",
    "grep --file=secret/k.txt a",
    "python3 secret/run.py",
    "echo $(cat secret/k.txt)",
    "while read x; do echo $x; done < secret/k.txt",
    "tar cf out.tar secret",
    "cat 'secret'/k.txt (",
  ])("Read(./secret/**) denies %j", (command) => expect(denied("Read(./secret/**)", bash(command))).toBe(true))

  it.each(["ls", "ls *.ts", "cat a.txt", "echo secret/k.txt", "cat secrets/k.txt", "git status"])(
    "Read(./secret/**) does not deny %j",
    (command) => expect(denied("Read(./secret/**)", bash(command))).toBe(false),
  )

  it.each(["touch lib/a", "rm -r lib", "echo x > lib/a", "ls | tee lib/a", "{ ls; } >> lib/a", "sed -i s/a/b/ lib/a"])(
    "Edit(./lib/**) denies %j",
    (command) => expect(denied("Edit(./lib/**)", bash(command))).toBe(true),
  )

  it("an Edit rule allows redirections to files there, and no command that changes them", () => {
    expect(allowed("Edit(./lib/**)", bash("ls > lib/a"))).toBe(true)
    for (const command of ["touch lib/a", "mkdir -p lib/b && cp lib/a lib/b", "ls > lib/a; rm lib/a"])
      expect(allowed("Edit(./lib/**)", bash(command))).toBe(false)
    expect(denied("Edit(./lib/**)", bash("cat lib/a"))).toBe(false)
  })
})

describe("rules for file names that contain a newline", () => {
  it.each([
    ["Read(secret/**)", "/workspace/secret/a\nb"],
    ["Read(**/*.env)", "/workspace/a\nb/.env"],
    ["Read(*.env)", "/workspace/a\nb.env"],
    ["Read(secret)", "/workspace/secret/\n"],
    ["Read(?env)", "/workspace/\nenv"],
    ["Read(//workspace/a\nb)", "/workspace/a\nb"],
    ["Read(//workspace/{a,a\nb})", "/workspace/a\nb"],
    ["Read(**)", "/workspace/\r\n\u2028\u0085"],
  ])("%j denies %j", (rule, path) => {
    expect(denied(rule, read(path))).toBe(true)
    expect(denied(rule.replace("Read", "Edit"), write(path))).toBe(true)
  })

  it("an allow rule for one name does not cover a name with further lines", () => {
    for (const path of ["/workspace/ok.txt\n", "/workspace/ok.txt\n/x", "/workspace/\nok.txt"]) {
      expect(allowed("Edit(//workspace/ok.txt)", write(path))).toBe(false)
    }
  })
})
