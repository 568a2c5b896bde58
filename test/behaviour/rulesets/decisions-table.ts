// What rules in opencode's terms make of calls: each row has a ruleset, the session's mode, a call and its decision.
// `asks` is a question that a rule asks for (it holds in every mode, and no saved approval answers it), `ask` any other.
import type { JudgedCall } from "../../../src/permissions/decide.ts"
import type { PermissionMode } from "../../../src/schemas/sdk/options/permissions.ts"
import type { PermissionRuleset } from "../../../src/schemas/sdk/options/permission-ruleset.ts"
import { bash, call, edit, grep, read, write } from "../../permissions/calls.ts"

export type Expected = "allow" | "deny" | "ask" | "asks"
export interface Row {
  readonly rules: PermissionRuleset
  readonly mode?: PermissionMode
  readonly call: JudgedCall
  readonly expected: Expected
}

type Rules = ReadonlyArray<readonly [permission: string, pattern: string, action: "allow" | "deny" | "ask"]>
const rules = (list: Rules): PermissionRuleset =>
  list.map(([permission, pattern, action]) => ({ permission, pattern, action }))
const row = (given: Rules | PermissionRuleset, one: JudgedCall, expected: Expected, mode?: PermissionMode): Row => ({
  rules: Array.isArray(given) && Array.isArray(given[0]) ? rules(given as Rules) : (given as PermissionRuleset),
  call: one,
  expected,
  ...(mode === undefined ? {} : { mode }),
})

const mcp = (name: string) => call(name, { mcpServer: name.split("__")[1] ?? "" })
const fetchUrl = (subject: string) => call("WebFetch", { readOnly: true, subject })
const task = (subject: string) => call("Agent", { readOnly: true, subject })
const glob = (search: string, path?: string) =>
  call("Glob", {
    readOnly: true,
    search,
    paths: [path ?? "/workspace"],
    ...(path === undefined ? {} : { spelled: [path] }),
  })
/** A file that is a link: it has two names. */
const linked = (name: string, path: string, to: string) =>
  call(name, { paths: [path, to], spelled: [path], edits: name !== "Read", readOnly: name === "Read" })
/** A path as the model wrote it, and what it is. */
const spelled = (written: string, path: string) => ({ ...write(path), spelled: [written] })

const A = "/workspace/src/a.ts"
const GIT: Rules = [
  ["bash", "*", "ask"],
  ["bash", "git *", "allow"],
  ["bash", "git push *", "deny"],
]
const NO_RM: Rules = [
  ["bash", "*", "allow"],
  ["bash", "rm *", "deny"],
]

/** Last match wins; no match is a question. */
export const ORDER: ReadonlyArray<Row> = [
  row([], bash("npm test"), "ask"),
  row([], write(A), "ask"),
  row([], fetchUrl("https://example.com/"), "ask"),
  row([["bash", "npm *", "allow"]], bash("npm test"), "allow"),
  row([["bash", "npm *", "allow"]], bash("npm"), "allow"),
  row([["bash", "npm *", "allow"]], bash("npmx test"), "ask"),
  row([["bash", "npm *", "allow"]], bash("pnpm test"), "ask"),
  row(
    [
      ["bash", "npm *", "ask"],
      ["bash", "npm *", "allow"],
    ],
    bash("npm test"),
    "allow",
  ),
  row(
    [
      ["bash", "npm *", "allow"],
      ["bash", "npm *", "ask"],
    ],
    bash("npm test"),
    "asks",
  ),
  row(
    [
      ["bash", "npm *", "deny"],
      ["bash", "npm test", "allow"],
    ],
    bash("npm test"),
    "allow",
  ),
  row(
    [
      ["bash", "npm *", "deny"],
      ["bash", "npm test", "allow"],
    ],
    bash("npm test x"),
    "deny",
  ),
  row(
    [
      ["bash", "npm test", "allow"],
      ["bash", "npm *", "deny"],
    ],
    bash("npm test"),
    "deny",
  ),
  row(
    [
      ["*", "*", "deny"],
      ["bash", "npm *", "allow"],
    ],
    bash("npm test"),
    "allow",
  ),
  row(
    [
      ["*", "*", "deny"],
      ["bash", "npm *", "allow"],
    ],
    bash("git x"),
    "deny",
  ),
  row(
    [
      ["*", "*", "deny"],
      ["bash", "npm *", "allow"],
    ],
    read(A),
    "deny",
  ),
  row(
    [
      ["*", "*", "deny"],
      ["read", "*", "allow"],
    ],
    read(A),
    "allow",
  ),
  row([["*", "*", "allow"]], bash("npm test"), "allow"),
  row([["*", "*", "allow"]], write(A), "allow"),
  row([["*", "*", "allow"]], mcp("mcp__github__create"), "allow"),
  row(
    [
      ["*", "*", "allow"],
      ["edit", "*", "ask"],
    ],
    write(A),
    "asks",
  ),
  row([["*", "*", "ask"]], write(A), "ask"),
  row([["*", "*", "ask"]], read(A), "ask"),
  row([["*", "*", "ask"]], grep("/workspace/src"), "ask"),
  row([["*", "*", "ask"]], bash("ls"), "ask"),
  row([["**", "**", "ask"]], bash("ls"), "ask"),
  row(
    [
      ["*", "*", "ask"],
      ["bash", "ls *", "allow"],
    ],
    bash("ls"),
    "allow",
  ),
  row("allow", bash("npm test"), "allow"),
  row("ask", bash("npm test"), "ask"),
  row("deny", bash("npm test"), "deny"),
  row({ bash: "ask" }, bash("ls"), "asks"),
  row({ edit: "ask", bash: { "*": "ask", "git *": "allow" } }, bash("git status"), "allow"),
  row({ edit: "ask", bash: { "*": "ask", "git *": "allow" } }, bash("npm x"), "asks"),
  row({ edit: "ask", bash: { "*": "ask", "git *": "allow" } }, write(A), "asks"),
  row({ bash: { "git *": "allow", "*": "ask" } }, bash("git status"), "asks"),
  row({ "*": "ask", edit: "allow" }, write(A), "allow"),
  row({ edit: "allow", "*": "ask" }, write(A), "ask"),
  row({ edit: { "*": "ask", "AGENTS.md": "deny" } }, write("/workspace/AGENTS.md"), "deny"),
]

/** Each tool has its permission, under all names. */
export const NAMES: ReadonlyArray<Row> = [
  row({ edit: "deny" }, edit(A), "deny"),
  row({ edit: "deny" }, write(A), "deny"),
  row({ edit: "deny" }, call("NotebookEdit", { paths: ["/workspace/n.ipynb"], edits: true }), "deny"),
  row({ write: "deny" }, edit(A), "deny"),
  row({ multiedit: "deny" }, write(A), "deny"),
  row({ patch: "deny" }, write(A), "deny"),
  row({ notebookedit: "deny" }, write(A), "deny"),
  row({ Edit: "deny" }, write(A), "deny"),
  row({ Bash: { "rm *": "deny" } }, bash("rm x"), "deny"),
  row({ list: "deny" }, call("LS", { paths: ["/workspace"], readOnly: true }), "deny"),
  row({ task: { explore: "deny" } }, task("explore"), "deny"),
  row({ task: { explore: "deny" } }, task("plan"), "allow"),
  row({ Task: "ask" }, task("plan"), "asks"),
  row({ agent: "ask" }, task("plan"), "asks"),
  row({ question: "deny" }, call("AskUserQuestion", { asksAlways: true }), "deny"),
  row({ question: "allow" }, call("AskUserQuestion", { asksAlways: true }), "ask"),
  row({ "*": "ask" }, call("AskUserQuestion", { asksAlways: true }), "ask"),
  row({ todowrite: "deny" }, call("TodoWrite", { internal: true }), "deny"),
  row({ todowrite: "ask" }, call("TodoWrite", { internal: true }), "asks"),
  row({ "*": "ask" }, call("TodoWrite", { internal: true }), "allow"),
  row({ websearch: "allow" }, call("WebSearch", { readOnly: true }), "allow"),
  row({ webfetch: { "https://docs.example.com/*": "allow" } }, fetchUrl("https://docs.example.com/a"), "allow"),
  row({ webfetch: { "https://docs.example.com/*": "allow" } }, fetchUrl("https://example.com/a"), "ask"),
  row({ webfetch: { "*": "allow", "*evil*": "deny" } }, fetchUrl("https://evil.example/a"), "deny"),
  row({ mcp__github__createIssue: "allow" }, mcp("mcp__github__createIssue"), "allow"),
  row({ mcp__github__createissue: "allow" }, mcp("mcp__github__createIssue"), "ask"),
  row({ "mcp__github__*": "allow" }, mcp("mcp__github__createIssue"), "allow"),
  row({ "mcp__*": "deny" }, mcp("mcp__github__createIssue"), "deny"),
  row({ "mcp__git?ub__*": "deny" }, mcp("mcp__github__createIssue"), "deny"),
  row({ getweather: "allow" }, call("GetWeather"), "allow"),
  row({ "web*": "deny" }, fetchUrl("https://example.com/"), "deny"),
  row({ doom_loop: "deny", lsp: "deny" }, bash("ls"), "allow"),
]

/** The pattern of a file is its path, as given and as it resolves. */
export const PATHS: ReadonlyArray<Row> = [
  row({ edit: { "src/*": "allow" } }, write(A), "allow"),
  row({ edit: { "./src/*": "allow" } }, write(A), "allow"),
  row({ edit: { "~/src/*": "allow" } }, write(A), "allow"),
  row({ edit: { "$HOME/src/*": "allow" } }, write(A), "allow"),
  row({ edit: { "/workspace/src/*": "allow" } }, write(A), "allow"),
  row({ edit: { "src/*.ts": "allow" } }, write("/workspace/src/deep/b.ts"), "allow"),
  row({ edit: { "src/**": "allow" } }, write("/workspace/src/deep/b.ts"), "allow"),
  row({ edit: { "src/*": "allow" } }, write("/workspace/lib/src/a.ts"), "ask"),
  row({ edit: { "src/?.ts": "allow" } }, write(A), "allow"),
  row({ edit: { "src/?.ts": "allow" } }, write("/workspace/src/ab.ts"), "ask"),
  row({ edit: { "SRC/*": "allow" } }, write(A), "ask"),
  row({ edit: { "*": "allow", "SRC/*": "deny" } }, write(A), "allow"),
  row({ edit: { "src/*": "allow", "*secret*": "deny" } }, write("/workspace/src/secret.ts"), "deny"),
  row({ edit: { "src/*": "allow" } }, spelled("src/../.npmrc", "/workspace/.npmrc"), "ask"),
  row({ edit: { "*": "allow", "src/../*": "deny" } }, spelled("src/../x", "/workspace/x"), "deny"),
  row({ edit: { "*": "allow", "secret/*": "deny" } }, spelled("src/../secret/k", "/workspace/secret/k"), "deny"),
  row({ edit: { "*": "allow", "secret/*": "deny" } }, linked("Write", "/workspace/ok", "/workspace/secret/k"), "deny"),
  row({ edit: { "*": "allow", ok: "ask" } }, linked("Write", "/workspace/ok", "/workspace/real"), "asks"),
  row({ edit: { ok: "allow" } }, linked("Write", "/workspace/ok", "/workspace/real"), "ask"),
  row({ edit: { ok: "allow", real: "allow" } }, linked("Write", "/workspace/ok", "/workspace/real"), "allow"),
  row({ edit: "allow" }, linked("Write", "/workspace/ok", "/etc/passwd"), "ask"),
  row({ read: { "caf\u00e9/*": "deny" } }, read("/workspace/cafe\u0301/a"), "deny"),
  row({ read: { "cafe\u0301/*": "deny" } }, read("/workspace/caf\u00e9/a"), "deny"),
  row({ edit: { "caf\u00e9/*": "allow" } }, write("/workspace/cafe\u0301/a"), "ask"),
  row({ edit: { "?.txt": "allow" } }, write("/workspace/\u{1f600}.txt"), "allow"),
  row({ edit: { "a*b": "deny" } }, write("/workspace/a\nb"), "deny"),
  row({ edit: { [`${"x".repeat(10_000)}*`]: "deny" } }, write(`/workspace/${"x".repeat(10_001)}`), "deny"),
  row({ edit: { "src/[ab].ts": "allow" } }, write(A), "ask"),
  row({ glob: { "*.pem": "deny" } }, glob("*.pem"), "deny"),
  row({ glob: { "*.pem": "deny" } }, glob("*.ts"), "allow"),
  row({ glob: { "secret/*": "deny" } }, glob("*", "/workspace/secret/x"), "deny"),
  row({ "*": "ask", glob: { "src/*": "allow" } }, glob("*", A), "allow"),
  row({ grep: { "secret*": "deny" } }, grep("/workspace/secret"), "deny"),
]

/** Secrets are asked about by default. */
export const SECRETS: ReadonlyArray<Row> = [
  row([], read("/workspace/.env"), "ask"),
  row([], read("/workspace/app/.env"), "ask"),
  row([], read("/workspace/prod.env"), "ask"),
  row([], read("/workspace/.env.local"), "ask"),
  row([], read("/workspace/.env.example"), "allow"),
  row([], read("/workspace/.environment"), "allow"),
  row([], read(A), "allow"),
  row([], linked("Read", "/workspace/notes", "/workspace/.env"), "ask"),
  row([], bash("cat .env"), "ask"),
  row([], bash("cat < .env"), "ask"),
  row([], bash("cat a .env.local"), "ask"),
  row({ bash: "allow" }, bash("cat .env"), "ask"),
  row({ read: "allow" }, read("/workspace/.env"), "allow"),
  row("allow", read("/workspace/.env"), "allow"),
  row({ read: { "*.env": "deny" } }, read("/workspace/.env"), "deny"),
  row({ read: { "*.env": "deny" }, bash: "allow" }, bash("cat .env"), "deny"),
  row({ read: { "*.env": "deny" }, bash: "allow" }, bash("cp .env b"), "deny"),
  row([], read("/workspace/.env"), "allow", "bypassPermissions"),
  row([], read("/workspace/.env"), "deny", "dontAsk"),
]

/** Places outside need a permission of their own. */
export const OUTSIDE: ReadonlyArray<Row> = [
  row([], read("/etc/hosts"), "ask"),
  row({ read: "allow" }, read("/etc/hosts"), "ask"),
  row({ external_directory: { "/etc/*": "allow" } }, read("/etc/hosts"), "allow"),
  row({ external_directory: { "/etc/*": "allow" } }, read("/usr/x"), "ask"),
  row({ external_directory: { "/etc/*": "allow" } }, write("/etc/hosts"), "ask"),
  row({ external_directory: { "/etc/*": "allow" }, edit: "allow" }, write("/etc/hosts"), "allow"),
  row({ external_directory: "deny" }, read("/etc/hosts"), "deny"),
  row({ external_directory: "deny" }, bash("cat /etc/hosts"), "deny"),
  row({ external_directory: "ask", read: "allow" }, read("/etc/hosts"), "asks"),
  row({ external_directory: "deny", "*": "allow" }, read("/etc/hosts"), "allow"),
  row({ bash: "allow" }, bash("cat /etc/hosts"), "ask"),
  row({ bash: { "cat *": "allow" } }, bash("cat /etc/hosts"), "ask"),
  row({ bash: { "cat *": "allow" }, external_directory: { "/etc/*": "allow" } }, bash("cat /etc/hosts"), "allow"),
  row({ bash: { "cat *": "allow" } }, bash("cat ../etc/hosts"), "ask"),
  row({ external_directory: { "~/*": "allow" } }, read("/etc/hosts"), "ask"),
  row({ external_directory: { "/etc/*": "allow" } }, write("/etc/hosts"), "allow", "acceptEdits"),
]

/** Each command of a script counts: a denial anywhere denies, and all of them must be allowed. */
export const SCRIPTS: ReadonlyArray<Row> = [
  row(GIT, bash("git status"), "allow"),
  row(GIT, bash("git push origin"), "deny"),
  row(GIT, bash("git status && git push"), "deny"),
  row(GIT, bash("git status && git log"), "allow"),
  row(GIT, bash("git status; npm test"), "asks"),
  row(GIT, bash("git status || npm test"), "asks"),
  row(GIT, bash("git status | sh"), "asks"),
  row(GIT, bash("git status\nnpm test"), "asks"),
  row(GIT, bash("git log $(git push)"), "deny"),
  row(GIT, bash("git log `git push`"), "deny"),
  row(GIT, bash("(git status; git push)"), "deny"),
  row(GIT, bash("git commit -m 'a; git push'"), "allow"),
  row(GIT, bash('git commit -m "a && npm test"'), "allow"),
  row(GIT, bash("git commit -m 'a\ngit push'"), "allow"),
  row(GIT, bash("gitx status"), "asks"),
  row(GIT, bash("git"), "allow"),
  row(NO_RM, bash("npm test"), "allow"),
  row(NO_RM, bash("rm x"), "deny"),
  row(NO_RM, bash("rm"), "deny"),
  row(NO_RM, bash("RM x"), "allow"),
  row(NO_RM, bash('r"m" -rf x'), "deny"),
  row(NO_RM, bash("'rm' x"), "deny"),
  row(NO_RM, bash("\\rm x"), "deny"),
  row(NO_RM, bash("rm\t-rf  x"), "deny"),
  row(NO_RM, bash("/bin/rm x"), "deny"),
  row(NO_RM, bash("env rm x"), "deny"),
  row(NO_RM, bash("FOO=1 rm x"), "deny"),
  row(NO_RM, bash("FOO=1 env BAR=2 rm x"), "deny"),
  row(NO_RM, bash("nohup rm x"), "deny"),
  row(NO_RM, bash("ls | xargs rm"), "deny"),
  row(NO_RM, bash('sh -c "rm x"'), "deny"),
  row(NO_RM, bash("bash -c \"sh -c 'rm x'\""), "deny"),
  row(NO_RM, bash('eval "rm x"'), "deny"),
  row(NO_RM, bash("find . -exec rm {} ;"), "deny"),
  row(NO_RM, bash("if true; then rm x; fi"), "deny"),
  row(NO_RM, bash("for f in a; do rm $f; done"), "deny"),
  row(NO_RM, bash("echo $(rm x)"), "deny"),
  row(NO_RM, bash("echo a > b; rm b"), "deny"),
  row(NO_RM, bash("rm x &"), "deny"),
  row(NO_RM, bash("! rm x"), "deny"),
  row(NO_RM, bash("X=rm; $X y"), "ask"),
  row(NO_RM, bash("for f in a b; do echo $f; done"), "ask"),
  row(NO_RM, bash("echo 'unclosed"), "ask"),
  row(NO_RM, bash("echo rm x"), "allow"),
  row({ bash: { "echo *": "allow" } }, bash("echo a > b"), "ask"),
  row({ bash: { "echo *": "allow" }, edit: { b: "allow" } }, bash("echo a > b"), "allow"),
  row({ bash: { "echo *": "allow" }, edit: { b: "deny" } }, bash("echo a > b"), "deny"),
  row({ bash: { "echo *": "allow" }, edit: { b: "ask" } }, bash("echo a > b"), "asks"),
  row({ bash: "allow", edit: { "src/*": "deny" } }, bash("rm src/a.ts"), "deny"),
  row({ bash: "allow", edit: { "src/*": "deny" } }, bash("cp x src/a.ts"), "deny"),
  row({ bash: "allow" }, bash("for f in a b; do echo $f; done"), "allow"),
  row({ bash: "allow" }, bash("npm test &"), "allow"),
  row({ bash: { "npm *": "allow" } }, bash("npm test &"), "ask"),
  row({ bash: { "*": "deny", "git *": "allow" } }, bash("git status && ls"), "deny"),
  row({ bash: { "git commit -m *": "deny", "*": "allow" } }, bash("git commit -m x"), "allow"),
  row({ bash: { "*": "allow", 'git commit -m "x*"': "deny" } }, bash('git commit -m "xy"'), "deny"),
  row({ bash: { "*": "allow", "*\n*": "deny" } }, bash("echo a\necho b"), "deny"),
  row({ bash: { [`echo ${"a".repeat(10_000)}*`]: "allow" } }, bash(`echo ${"a".repeat(10_001)}`), "allow"),
]

/** Modes beside rules: what a rule asks or denies holds in each. */
export const MODES: ReadonlyArray<Row> = [
  row([], write(A), "allow", "acceptEdits"),
  row([], bash("mkdir x"), "allow", "acceptEdits"),
  row([], bash("touch x && mv x y && cp y z && rm z"), "allow", "acceptEdits"),
  row([], bash("npm test"), "ask", "acceptEdits"),
  row({ edit: "ask" }, write(A), "asks", "acceptEdits"),
  row({ edit: "deny" }, write(A), "deny", "acceptEdits"),
  row({ "*": "ask" }, write(A), "allow", "acceptEdits"),
  row({ "*": "ask" }, bash("mkdir x"), "allow", "acceptEdits"),
  row({ bash: { "mkdir *": "ask" } }, bash("mkdir x"), "asks", "acceptEdits"),
  row({ edit: { "src/*": "deny" } }, bash("touch src/a.ts"), "deny", "acceptEdits"),
  row([], bash("npm test"), "allow", "bypassPermissions"),
  row({ "*": "ask" }, bash("npm test"), "allow", "bypassPermissions"),
  row({ bash: "ask" }, bash("npm test"), "asks", "bypassPermissions"),
  row({ bash: "deny" }, bash("npm test"), "deny", "bypassPermissions"),
  row({ "*": "deny" }, bash("npm test"), "deny", "bypassPermissions"),
  row({ edit: { "src/*": "deny" } }, write(A), "deny", "bypassPermissions"),
  row(NO_RM, bash("X=rm; $X y"), "ask", "bypassPermissions"),
  row({ external_directory: "deny" }, read("/etc/hosts"), "deny", "bypassPermissions"),
  row({ edit: "allow" }, write(A), "ask", "plan"),
  row({ "*": "allow" }, write(A), "ask", "plan"),
  row({ "*": "allow" }, bash("npm test"), "ask", "plan"),
  row({ "*": "allow" }, bash("ls"), "allow", "plan"),
  row({ bash: { "npm *": "allow" } }, bash("npm test"), "allow", "plan"),
  row({ edit: "deny" }, write(A), "deny", "plan"),
  row([], read(A), "allow", "plan"),
  row([], bash("npm test"), "deny", "dontAsk"),
  row({ bash: "ask" }, bash("npm test"), "deny", "dontAsk"),
  row({ bash: { "npm *": "allow" } }, bash("npm test"), "allow", "dontAsk"),
  row({ "*": "ask" }, bash("ls"), "deny", "dontAsk"),
  row({ "*": "allow" }, write("/workspace/.git/config"), "ask"),
  row({ edit: "allow" }, write("/workspace/.git/config"), "ask"),
]
