// Which calls a rule applies to: commands, servers and domains, as written in options and settings.
import { describe, expect, it } from "vitest"
import { decide } from "../../src/permissions/decide.ts"
import { applyUpdate } from "../../src/permissions/policy.ts"
import { formatRule, parseRule } from "../../src/permissions/rules.ts"
import { bash, call, policy, read, ruled } from "./calls.ts"

const allowed = (rule: string, one: Parameters<typeof decide>[0]) =>
  decide(one, ruled({ allow: [rule] })).behavior === "allow"
const denied = (rule: string, one: Parameters<typeof decide>[0]) =>
  decide(one, ruled({ deny: [rule] }, "bypassPermissions")).behavior === "deny"

describe("rules with a * in the tool's name", () => {
  const add = call("mcp__calc__add", { mcpServer: "calc" })
  // As recorded of the official SDK.
  it.each([
    ["*", bash("touch x"), true, false],
    ["B*", bash("touch x"), true, false],
    ["*sh", bash("touch x"), true, false],
    ["W*", bash("touch x"), false, false],
    ["mcp__*", add, true, false],
    ["mcp__c*", add, true, false],
    ["*__add", add, true, false],
    ["mcp__calc__*", add, true, true],
    ["mcp__calc__a*", add, true, true],
    ["mcp__calc__b*", add, false, false],
  ])("%s", (rule, one, denies, allows) => {
    expect(denied(rule, one)).toBe(denies)
    expect(decide(one, ruled({ ask: [rule] }, "bypassPermissions")).behavior).toBe(denies ? "ask" : "allow")
    expect(allowed(rule, one)).toBe(allows)
  })

  it("allow no command either", () => expect(allowed("B*(touch:*)", bash("touch x"))).toBe(false))
})

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
    ["Bash()", "anything", false],
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
    "git push $X",
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

  it.each(["git commit -m 'a; npm test'", 'git log --format="%h && %s"', "git log | head -3"])(
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
    expect(allowed("mcp__my_server", call("mcp__my_server__t", { mcpServer: "my server" }))).toBe(true)
    expect(denied("mcp__my_server", call("mcp__my_server__t", { mcpServer: "my.server" }))).toBe(true)
    expect(allowed("mcp__my", call("mcp__my_server__t", { mcpServer: "my server" }))).toBe(false)
  })

  it.each([
    ["mcp__a__*", "a__b", false],
    ["mcp__a__b*", "a__b", false],
    ["mcp__a__b", "a__b", true],
    ["mcp__a__b__*", "a__b", true],
    ["mcp__a__b__t", "a__b", true],
    ["mcp__a__*", "a", true],
    ["mcp__a__b*", "a", true],
    ["mcp__a__b__t", "a", true],
    ["mcp__a__b", "a b", false],
  ])("%s allows the tool mcp__a__b__t of the server %s: %s", (rule, mcpServer, expected) => {
    expect(allowed(rule, call("mcp__a__b__t", { mcpServer }))).toBe(expected)
  })

  it("a deny rule for a server whose name begins another's may deny that one's tools", () => {
    expect(denied("mcp__a__*", call("mcp__a__b__t", { mcpServer: "a__b" }))).toBe(true)
  })

  it.each([
    ["mcp__far", true],
    ["mcp__far__*", true],
    ["mcp__fa*", true],
    ["mcp__*", true],
    ["mcp__far__get", false],
    ["mcp__far__get_*", false],
    ["mcp__near__*", false],
  ])("%s denies reading the resources of the server far: %s", (rule, expected) => {
    expect(denied(rule, call("ReadMcpResourceTool", { readsServer: "far", readOnly: true }))).toBe(expected)
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

  it.each([
    ["domain:münchen.example", "https://münchen.example/a"],
    ["domain:münchen.example", "https://xn--mnchen-3ya.example/a"],
    ["domain:xn--mnchen-3ya.example", "https://münchen.example/a"],
    ["domain:*.münchen.example", "https://a.xn--mnchen-3ya.example/"],
    ["domain:EXAMPLE.com.", "https://example.com/a"],
    ["domain:[::1]", "http://[0:0::1]:8080/a"],
  ])("%s matches the host of %s", (domain, subject) => {
    const fetch = call("WebFetch", { subject, readOnly: true })
    expect(allowed(`WebFetch(${domain})`, fetch)).toBe(true)
    expect(denied(`WebFetch(${domain})`, fetch)).toBe(true)
  })

  it.each(["example.com:8443", "https://example.com", "example.com/a", "x@example.com", ""])(
    "WebFetch(domain:%s) names no host: it allows none, and denies all",
    (domain) => {
      const fetch = call("WebFetch", { subject: "https://example.com/a", readOnly: true })
      expect(allowed(`WebFetch(domain:${domain})`, fetch)).toBe(false)
      expect(denied(`WebFetch(domain:${domain})`, fetch)).toBe(true)
    },
  )

  it("an invalid rule denies and does not allow", () => {
    const fetch = call("WebFetch", { subject: "https://example.com", readOnly: true })
    for (const rule of ["WebFetch(example.com)", "Skill(x)"]) expect(allowed(rule, fetch)).toBe(false)
    expect(denied("WebFetch(example.com)", fetch)).toBe(true)
    expect(denied("Skill(x)", call("Skill"))).toBe(true)
    expect(denied("*", read("/workspace/a"))).toBe(true)
  })

  it("Agent(name) applies only to that agent, also under the tool's old name", () => {
    const explore = call("Agent", { subject: "Explore" })
    expect(denied("Agent(Explore)", explore)).toBe(true)
    expect(denied("Task(Explore)", explore)).toBe(true)
    expect(denied("Agent(Plan)", explore)).toBe(false)
  })
})

describe("a deny rule with a slip of the pen", () => {
  it.each([
    "Bash( ls:*)",
    "Bash(ls :*)",
    "Bash(ls:* )",
    "Bash( ls )",
    "Bash(\tls *)",
    "Bash(ls  *)",
    "Bash('ls')",
    "bash(ls:*)",
    "BASH (ls:*)",
    "bash",
    "Bash( )",
    "Bash( *)",
    "Bash(\u00a0ls:*)",
    "Bash(\u200bls:*)",
    "\u200bBash(ls:*)",
    "Ｂａｓｈ(ls:*)",
    "Bash（ls:*）",
  ])("%j denies ls", (rule) => {
    expect(denied(rule, bash("ls"))).toBe(true)
    expect(decide(bash("ls"), ruled({ ask: [rule] })).behavior).toBe("ask")
    const addRules = { type: "addRules", rules: [parseRule(rule)], behavior: "deny", destination: "session" } as const
    const added = applyUpdate(policy("bypassPermissions"), addRules)
    expect(decide(bash("ls"), added).behavior).toBe("deny")
    expect(decide(bash("ls"), applyUpdate(added, { ...addRules, type: "removeRules" })).behavior).toBe("allow")
  })

  it.each(["Read( ./a)", "Read(./a )", 'Read("./a")', "Read( )", "read(a)", "Read(\u200ba)"])(
    "%j denies a file",
    (rule) => {
      expect(denied(rule, read("/workspace/a"))).toBe(true)
    },
  )

  it("is applied as it is written, too", () => {
    expect(denied("Read(a )", read("/workspace/a "))).toBe(true)
    expect(denied("Read(’a’)", read("/workspace/’a’"))).toBe(true)
    expect(denied("bash", call("bash"))).toBe(true)
  })

  it.each(["Bash( touch:*)", "Bash(touch :*)", "bash(touch:*)", "Bash( )", "Bash('touch'  *)"])(
    "%j as an allow rule allows nothing, as in the official SDK",
    (rule) => {
      expect(allowed(rule, bash("touch a"))).toBe(false)
    },
  )
})

describe("rule texts", () => {
  it.each(["Bash", "Bash(git:*)", "Edit(./src/**)", "mcp__a__b", "Bash(echo \\(a\\))"])(
    "%s is parsed and formatted alike",
    (text) => {
      expect(formatRule(parseRule(text))).toBe(text)
    },
  )

  it("parentheses in a command are unescaped", () => {
    expect(parseRule("Bash(echo \\(a\\))")).toEqual({ toolName: "Bash", ruleContent: "echo (a)" })
    expect(parseRule("Bash(python3 -c print(1))")).toEqual({ toolName: "Bash", ruleContent: "python3 -c print(1)" })
  })
})
