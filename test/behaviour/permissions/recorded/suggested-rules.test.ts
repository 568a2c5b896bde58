// Scripts with the updates that the official SDK suggests for them: the content of rules, directories and modes.
import { describe, expect, it } from "vitest"
import { decide, questionFields } from "../../../../src/permissions/decide.ts"
import type { PermissionUpdate } from "../../../../src/schemas/sdk/options/permissions.ts"
import { bash, policy } from "../../../permissions/calls.ts"

const shown = (update: PermissionUpdate): string => {
  if (update.type === "setMode") return update.mode
  if (update.type === "addDirectories") return update.directories.join()
  return "rules" in update ? update.rules.map(({ ruleContent }) => ruleContent).join(" + ") : update.type
}

const suggested = (script: string, mode: "default" | "acceptEdits" = "default"): ReadonlyArray<string> => {
  const decision = decide(bash(script), policy(mode))
  if (decision.behavior !== "ask") return [decision.behavior]
  const { decision_reason_type: type = "-", suggestions = [] } = questionFields(decision)
  return [type, ...suggestions.map(shown)]
}

const PLACE = ["/workspace", "acceptEdits"]

const RULES: ReadonlyArray<readonly [script: string, ...suggested: ReadonlyArray<string>]> = [
  // A command with quoted arguments has the same suggested prefix as one without.
  ['npm run "test"', "other", "npm run *"],
  ["npm run te\"s\"t 'a b'", "other", "npm run *"],
  ['git commit -m "a b"', "other", "git commit *"],
  ['"npm" run test', "other", '"npm" run *'],
  ["/usr/bin/npm run x", "other", "/usr/bin/npm run *"],
  ['npm "run" test', "other", 'npm "run" test'],
  // For programs that run another program (`sudo x`), the rule is the exact command, not a prefix.
  ["sudo npm run x", "other", "sudo npm run x"],
  ["fish run x", "other", "fish run x"],
  ["pkexec run x", "other", "pkexec run x"],
  ["setsid run x", "other"],
  ["watch npm run", "other"],
  // Assignments and times.
  ["A=1 npm run x", "other", "A=1 npm run x"],
  ["NODE_ENV=x npm run x", "other", "npm run *"],
  ["time npm run x", "other", "time npm run x"],
  // Scripts of several commands that one path blocks.
  ["ls; rm n", "-", "ls; rm *", ...PLACE],
  ["rm n; ls", "-", "rm n; ls", ...PLACE],
  ["ls && rm n", "-", "ls && rm n", ...PLACE],
  ["ls -l\nrm n", "-", "ls -l *", ...PLACE],
  ["if true; then rm n; fi", "-", "if true; then rm n; fi", ...PLACE],
  ["rm n &", "-", "rm n *", ...PLACE],
  ["ls; echo a > out", "-", "ls; echo *", "/workspace"],
  ["ls | cat > out", "-", "ls | cat > out", "/workspace"],
  ["ls; cat /etc/hostname", "-", "ls; cat *", "//etc/**"],
  ["rm n; npm run x", "subcommandResults", "rm n * + npm run *"],
  // Redirections.
  ["node x.js > /dev/null 2>&1", "other", "node x.js"],
  ["node x.js < a.txt # comment", "other", "node x.js"],
  ["A=1 node x.js 2>/dev/null", "other", "A=1 node x.js"],
  ["time node x.js 2>/dev/null", "other", "time node x.js"],
  ["node x.js > out", "-", "node x.js > out", "/workspace"],
  // Git in another directory.
  ["cd src && git add .", "other"],
  ["cd src && git add . && npm run x", "other"],
  ["cd . && git add .", "subcommandResults", "git add *"],
  // Pipelines.
  ["cat a.txt | rm n", "subcommandResults", "cat a.txt | rm n", ...PLACE],
  ["npm run x | tee out", "subcommandResults", "npm run *", ...PLACE],
  ["rm n | npm run x", "subcommandResults", ...PLACE, "npm run *"],
  ["rm n | rm m", "subcommandResults", "rm n *", ...PLACE, ...PLACE],
  ["npm run x | cat /etc/hostname", "subcommandResults", "npm run *", "//etc/**"],
  ["npm run x | cat > out", "subcommandResults"],
]

describe("rules are suggested as the official SDK suggests them", () => {
  it.each(RULES)("%j", (script, ...expected) => {
    expect(suggested(script)).toEqual(expected)
  })
})

it.each(["", "  ", "# a comment", "\n# two\n# lines\n"])(
  "a script without commands is not asked about: %j",
  (script) => {
    expect(suggested(script)).toEqual(["allow"])
  },
)

it.each(["join a b", "hd a", "shuf a", "uniq a", "shasum a", "ls | join a -"])(
  "commands that the official SDK asks about are asked about: %s",
  (script) => {
    expect(suggested(script)).not.toEqual(["allow"])
  },
)

it.each(["cat a | uniq -c", "cat a | uniq -f 1", "fmt a"])(
  "commands that only read are not asked about: %s",
  (script) => {
    expect(suggested(script)).toEqual(["allow"])
  },
)

it.each(["NODE_ENV=x cp a b", "TZ=x rm a", "NODE_ENV=x mkdir d", "CI=1 mv a b"])(
  "acceptEdits covers edits with variables that change no command: %s",
  (script) => {
    expect(suggested(script, "acceptEdits")).toEqual(["allow"])
  },
)

it.each(["NODE_ENV=x touch a", "A=1 rm a", "PATH=x cp a b"])("acceptEdits does not cover %s", (script) => {
  expect(suggested(script, "acceptEdits")[0]).toBe("other")
})
