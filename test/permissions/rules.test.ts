// Which calls a rule applies to: commands, paths, servers and domains, as they are written in options and settings.
import { describe, expect, it } from "vitest"
import { decide } from "../../src/permissions/decide.ts"
import { applyUpdate, policyOf } from "../../src/permissions/policy.ts"
import { formatRule, parseRule } from "../../src/permissions/rules.ts"
import { bash, call, edit, grep, policy, read, ruled, write } from "./calls.ts"

const allowed = (rule: string, one: Parameters<typeof decide>[0]) =>
  decide(one, ruled({ allow: [rule] })).behavior === "allow"
const denied = (rule: string, one: Parameters<typeof decide>[0]) =>
  decide(one, ruled({ deny: [rule] }, "bypassPermissions")).behavior === "deny"

describe("rules for commands", () => {
  it.each([
    ["Bash(git:*)", "git push", true],
    ["Bash(git *)", "git push", true],
    ["Bash(git:*)", "git", true],
    ["Bash(git:*)", "gitk", false],
    ["Bash(npm run test:*)", "npm run test -- a", true],
    ["Bash(npm run test:*)", "npm run testing", false],
    ["Bash(npm test)", "npm test", true],
    ["Bash(npm test)", "npm test -- a", false],
    ["Bash(npm *)", "NPM test", false],
    ["Bash(git * main)", "git push origin main", true],
    ["Bash(git * main)", "git push origin other", false],
    ["Bash(* --version)", "node --version", true],
    ["Bash(make \\*)", "make *", true],
    ["Bash(make \\*)", "make x", false],
    ["Bash", "anything at all", true],
    ["Bash(*)", "anything && at all", true],
    ["Bash()", "anything", true],
    ["*", "anything", false],
  ])("%s allows %s: %s", (rule, command, expected) => {
    expect(allowed(rule, bash(command))).toBe(expected)
    // The same script, hidden in a harmless compound.
    expect(allowed(rule, bash(`ls && ${command}; pwd`))).toBe(expected)
  })

  it.each([
    "git status; npm test",
    "git push && npm test",
    "git push || npm test",
    "git push | npm test",
    "git push\nnpm test",
    "git push & npm test",
    "(npm test)",
    "git push $(npm test)",
    "git push `npm test`",
    'git push "$(npm test)"',
    "git push <(npm test)",
    "git push > out",
    "git push <<E\n$(npm test)\nE",
    "git$IFS push",
    "'git push'",
    "x=1 git push",
    "git push (",
    "f() { git push; }; f",
  ])("Bash(git:*) does not allow %j", (command) => expect(allowed("Bash(git:*)", bash(command))).toBe(false))

  it.each(["git commit -m 'a; npm test'", 'git log --format="%h && %s"', "git log | head -3", "git push $X"])(
    "Bash(git:*) allows %s",
    (command) => expect(allowed("Bash(git:*)", bash(command))).toBe(true),
  )

  it("an exact rule covers a whole script, if it can be parsed", () => {
    const loop = "for i in a b; do git add $i; done"
    expect(allowed(`Bash(${loop})`, bash(loop))).toBe(true)
    expect(allowed("Bash(git push \\()", bash("git push ("))).toBe(false)
  })

  it.each([
    "rm x",
    "ls; rm x",
    "ls && rm -rf x | cat",
    "echo $(rm x)",
    "echo `rm x`",
    'echo "a $(rm x)"',
    "(cd /tmp; rm x)",
    "if true; then rm x; fi",
    "for i in 1; do rm $i; done",
    "f() { rm x; }; f",
    "cat <<E\n$(rm x)\nE",
    "echo ${y:-$(rm x)}",
    "echo $((1 + $(rm x)))",
    "echo ${a[$(rm x)]}",
    "a[$(rm x)]=1 ls",
    "[[ -f $(rm x) ]]",
    "ls > $(rm x)",
    "r\\m x",
    '"rm" x',
    "/bin/rm x",
    "sudo rm x",
    "env A=1 rm x",
    "timeout -s KILL 5 rm x",
    "xargs -n 1 rm",
    "find . -exec rm {} ;",
    "sh -c 'rm x'",
    'bash -c "ls; rm x"',
    "eval rm x",
    "eval 'ls; rm x'",
    "sudo bash -c 'rm x'",
    "ls & rm x",
    "x=1 rm x",
    "rm x (",
  ])("Bash(rm:*) denies %j", (command) => expect(denied("Bash(rm:*)", bash(command))).toBe(true))

  it.each(["rmdir x", "echo rm x", "echo 'a; rm x'", "cat rm", "ls # rm x", "cat <<'E'\n$(rm x)\nE"])(
    "Bash(rm:*) does not deny %j",
    (command) => expect(denied("Bash(rm:*)", bash(command))).toBe(false),
  )
})

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

  it("Read rules cover every tool that reads files, and Edit rules let them be read", () => {
    expect(allowed("Read(//etc/**)", read("/etc/hosts"))).toBe(true)
    expect(allowed("Read(//etc/**)", grep("/etc/x"))).toBe(true)
    expect(allowed("Edit(//etc/**)", read("/etc/hosts"))).toBe(true)
    expect(allowed("Grep(//etc/**)", grep("/etc/x"))).toBe(false)
    expect(denied("Read(./secret/**)", read("/workspace/secret/k"))).toBe(true)
    expect(denied("Read(./secret/**)", grep("/workspace/secret"))).toBe(true)
    expect(denied("Read(./secret/**)", read("/workspace/other/k"))).toBe(false)
    expect(denied("Edit(./secret/**)", read("/workspace/secret/k"))).toBe(false)
  })

  it("a working directory with characters of globs is taken literally", () => {
    const inOdd = (path: string) => ({ ...write(path), cwd: "/work[1]*" })
    expect(allowed("Edit(./a/**)", inOdd("/work[1]*/a/b"))).toBe(true)
    expect(allowed("Edit(./*.ts)", inOdd("/work[1]*/b.ts"))).toBe(true)
    expect(allowed("Edit(./*.ts)", inOdd("/work1x/b.ts"))).toBe(false)
  })

  it("a pattern that can't be used denies, and allows nothing", () => {
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

  it("an Edit rule allows the commands and redirections that edit there", () => {
    for (const command of ["touch lib/a", "ls > lib/a", "mkdir -p lib/b && cp lib/a lib/b"])
      expect(allowed("Edit(./lib/**)", bash(command))).toBe(true)
    expect(allowed("Edit(./lib/**)", bash("touch lib/a other"))).toBe(false)
    expect(denied("Edit(./lib/**)", bash("cat lib/a"))).toBe(false)
  })
})

describe("rules for servers, domains and names", () => {
  const add = call("mcp__calc__add", { mcpServer: "calc" })

  it.each([
    ["mcp__calc", true],
    ["mcp__calc__*", true],
    ["mcp__calc__add", true],
    ["mcp__calc__a*", true],
    ["mcp__calc__sub", false],
    ["mcp__cal", false],
    ["mcp__other", false],
    ["calc", false],
  ])("%s speaks of mcp__calc__add: %s", (rule, expected) => {
    expect(allowed(rule, add)).toBe(expected)
    expect(denied(rule, add)).toBe(expected)
    expect(allowed(rule, call("mcp__calc__add"))).toBe(expected)
  })

  it("a server's rule does not apply to a server with a longer name", () => {
    expect(allowed("mcp__a", call("mcp__a__b__t", { mcpServer: "a__b" }))).toBe(false)
    expect(allowed("mcp__a__b", call("mcp__a__b__t", { mcpServer: "a__b" }))).toBe(true)
  })

  it.each([
    ["https://example.com/a", true],
    ["https://EXAMPLE.com:8080/a", true],
    ["https://example.com./a", true],
    ["https://example.com../a", true],
    ["https://sub.example.com/", false],
    ["https://example.com.evil.org/", false],
    ["https://evil.org/?example.com", false],
  ])("WebFetch(domain:example.com) speaks of %s: %s", (subject, expected) => {
    const fetch = call("WebFetch", { subject, readOnly: true })
    expect(allowed("WebFetch(domain:example.com)", fetch)).toBe(expected)
    expect(denied("WebFetch(domain:example.com)", fetch)).toBe(expected)
  })

  it("a rule that is not understood denies and does not allow", () => {
    const fetch = call("WebFetch", { subject: "https://example.com", readOnly: true })
    for (const rule of ["WebFetch(example.com)", "Skill(x)"]) expect(allowed(rule, fetch)).toBe(false)
    expect(denied("WebFetch(example.com)", fetch)).toBe(true)
    expect(denied("Skill(x)", call("Skill"))).toBe(true)
    expect(denied("*", read("/workspace/a"))).toBe(true)
  })

  it("Agent(name) applies to that agent alone, also under the tool's old name", () => {
    const explore = call("Agent", { subject: "Explore" })
    expect(denied("Agent(Explore)", explore)).toBe(true)
    expect(denied("Task(Explore)", explore)).toBe(true)
    expect(denied("Agent(Plan)", explore)).toBe(false)
  })
})

describe("rule texts", () => {
  it.each(["Bash", "Bash(git:*)", "Edit(./src/**)", "mcp__a__b", "Bash(echo \\(a\\))"])(
    "%s is read and written alike",
    (text) => {
      expect(formatRule(parseRule(text))).toBe(text)
    },
  )

  it("parentheses in a command are taken back", () => {
    expect(parseRule("Bash(echo \\(a\\))")).toEqual({ toolName: "Bash", ruleContent: "echo (a)" })
    expect(parseRule("Bash(python3 -c print(1))")).toEqual({ toolName: "Bash", ruleContent: "python3 -c print(1)" })
  })
})

describe("a policy", () => {
  it("takes rules, mode and directories from options and settings", () => {
    const made = policyOf(
      {
        allowedTools: ["Read"],
        disallowedTools: ["WebFetch"],
        additionalDirectories: ["/data/"],
        settings: {
          permissions: {
            allow: ["Bash(ls)"],
            deny: ["Edit(x)"],
            ask: ["Write"],
            defaultMode: "acceptEdits",
            additionalDirectories: ["/more"],
          },
        },
      },
      [],
    )
    expect(made.mode).toBe("acceptEdits")
    expect(made.directories).toEqual(["/data", "/more"])
    expect(made.rules.allow.map((rule) => [formatRule(rule), rule.source])).toEqual([
      ["Read", "cliArg"],
      ["Bash(ls)", "flagSettings"],
    ])
    expect(made.rules.deny.map(formatRule)).toEqual(["WebFetch", "Edit(x)"])
    expect(decide(read("/data/a"), made).behavior).toBe("allow")
    expect(decide(edit("/more/a"), made).behavior).toBe("allow")
    expect(decide(bash("touch /more/a && cat /data/b"), made).behavior).toBe("allow")
    expect(decide(edit("/moreover/a"), made).behavior).toBe("ask")
  })

  it("an option's mode wins over the settings' default, and bypassPermissions can be forbidden", () => {
    const settings = { permissions: { defaultMode: "plan" } } as const
    expect(policyOf({ permissionMode: "acceptEdits", settings }, []).mode).toBe("acceptEdits")
    const forbidden = ruled({ disableBypassPermissionsMode: "disable" }, "bypassPermissions")
    expect(forbidden.mode).toBe("default")
    const setMode = { type: "setMode", mode: "bypassPermissions", destination: "session" } as const
    expect(applyUpdate(forbidden, setMode).mode).toBe("default")
    expect(applyUpdate(policy("default"), setMode).mode).toBe("bypassPermissions")
  })

  it("replaces and removes rules of the same destination only", () => {
    const start = ruled({ allow: ["Bash(a)"] })
    const session = { behavior: "allow", destination: "session" } as const
    const rules = (made: typeof start) => made.rules.allow.map(formatRule)
    const added = applyUpdate(start, {
      type: "addRules",
      rules: [parseRule("Bash(b)"), parseRule("Bash(c)")],
      ...session,
    })
    expect(rules(added)).toEqual(["Bash(a)", "Bash(b)", "Bash(c)"])
    expect(rules(applyUpdate(added, { type: "removeRules", rules: [parseRule("Bash(b)")], ...session }))).toEqual([
      "Bash(a)",
      "Bash(c)",
    ])
    expect(rules(applyUpdate(added, { type: "removeRules", rules: [parseRule("Bash(a)")], ...session }))).toHaveLength(
      3,
    )
    expect(rules(applyUpdate(added, { type: "replaceRules", rules: [parseRule("Bash(d)")], ...session }))).toEqual([
      "Bash(a)",
      "Bash(d)",
    ])
  })

  it("directories of updates come and go", () => {
    const session = { destination: "session" } as const
    const added = applyUpdate(policy("default"), { type: "addDirectories", directories: ["/data/"], ...session })
    expect(decide(read("/data/x"), added).behavior).toBe("allow")
    const removed = applyUpdate(added, { type: "removeDirectories", directories: ["/data"], ...session })
    expect(decide(read("/data/x"), removed).behavior).toBe("ask")
  })

  it("parses a list of rules once", () => {
    const options = { allowedTools: ["Bash(git:*)", "Edit(src/**)"] }
    expect(policyOf({ ...options }, []).rules.allow[0]).toBe(policyOf({ ...options }, []).rules.allow[0])
  })
})

describe("rules for files whose names break the line", () => {
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

  it("an allow rule for another name does not cover the name with more lines", () => {
    for (const path of ["/workspace/ok.txt\n", "/workspace/ok.txt\n/x", "/workspace/\nok.txt"]) {
      expect(allowed("Edit(//workspace/ok.txt)", write(path))).toBe(false)
    }
  })
})
