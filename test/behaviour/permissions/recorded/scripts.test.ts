// Scripts with the official SDK's recorded asks: cause, path and suggestions.
import { describe, expect, it } from "vitest"
import { decide, type JudgedCall, questionFields } from "../../../../src/permissions/decide.ts"
import type { Policy } from "../../../../src/permissions/policy.ts"
import type { PermissionUpdate } from "../../../../src/schemas/sdk/options/permissions.ts"
import { bash, policy } from "../../../permissions/calls.ts"
import { WITHOUT_CLIENT } from "./hooks-table.ts"
import { REPORTS } from "./reads-table.ts"
import {
  IN_ACCEPT_EDITS,
  IN_DEFAULT,
  IN_PLAN,
  OTHERWISE_HERE,
  type RecordedScript,
  UNDER_RULES,
} from "./scripts-table.ts"
import { VARIABLES, WITH_A_RULE } from "./variables-table.ts"
import { LOOPS, WRAPPED } from "./wrapped-table.ts"

const kindOf = (update: PermissionUpdate): string => {
  if (update.type === "addRules") return `${update.rules[0]?.toolName}×${update.rules.length}`
  return update.type === "setMode" ? update.mode : update.type
}

const kinds = (suggestions: ReadonlyArray<PermissionUpdate> | undefined): string => {
  if (suggestions === undefined) return "none"
  return suggestions.length === 0 ? "empty" : suggestions.map(kindOf).join(" ")
}

const mcpOutcome = (call: JudgedCall, rules: Policy): string => {
  const decision = decide(call, rules)
  if (decision.behavior === "allow") return "allow"
  if (decision.behavior === "deny") return `deny ${decision.reason.type}`
  const { decision_reason_type: type = "-", blocked_path: path, suggestions } = questionFields(decision)
  return `ask ${type} ${path === undefined ? "-" : "path"} ${kinds(suggestions)}`
}

/** Directories of the machine on which the outcomes were recorded. */
const inMachine = (script: string): JudgedCall => ({
  ...bash(script),
  isDirectory: (path) => path === "/tmp" || path === "/etc" || path === "/workspace/sub",
})

const expected = (mode: string, [script, outcome]: RecordedScript): string =>
  OTHERWISE_HERE.find((row) => row.mode === mode && row.script === script && !outcome.startsWith("deny"))?.outcome ??
  outcome

describe.each([
  [
    "default",
    [
      ...IN_DEFAULT,
      ...REPORTS,
      ...VARIABLES,
      ...[...WRAPPED, ...LOOPS].map(([script, outcome]) => [script, outcome] as const),
    ],
  ],
  [
    "acceptEdits",
    [...IN_ACCEPT_EDITS, ...[...WRAPPED, ...LOOPS].map(([script, , outcome]) => [script, outcome] as const)],
  ],
  ["plan", IN_PLAN],
] as const)("in %s mode", (mode, scripts) => {
  it(`${scripts.length} scripts are asked about as recorded`, () => {
    const given = scripts.map(([script]) => [script, mcpOutcome(inMachine(script), policy(mode))])
    expect(given).toEqual(scripts.map((row) => [row[0], expected(mode, row)]))
  })
})

it(`${UNDER_RULES.length} scripts under rules of the settings are asked about or denied as recorded`, () => {
  const given = UNDER_RULES.map(([mode, permissions, script]) => [
    mode,
    permissions,
    script,
    mcpOutcome(inMachine(script), policy(mode, { settings: { permissions } })),
  ])
  expect(given).toEqual(
    UNDER_RULES.map(([mode, permissions, ...row]) => [mode, permissions, row[0], expected(`${mode} with rules`, row)]),
  )
})

it.each([
  ["timeout -s KILL 5 touch x", "allow"],
  ["timeout --foreground 5 npm test", "allow"],
  ["command -p npm test", "allow"],
  ["xargs touch x", "allow"],
  ["NODE_ENV=x touch x", "allow"],
  ["nohup -- npm test", "ask other - empty"],
  ["nice -n5 npm test", "ask other - empty"],
  ["time -p npm test", "ask other - empty"],
  ["time ! npm test", "ask other - empty"],
  ["nohup cat /etc/hostname", "ask - path Bash×1 Read×1"],
  ["env touch x", "ask - path Bash×1 addDirectories acceptEdits"],
  ["env npm test", "ask other - Bash×1"],
])("`%s` under rules for the commands inside: %s, as recorded", (script, outcome) => {
  const permissions = { allow: ["Bash(touch:*)", "Bash(npm:*)", "Bash(cat:*)"] }
  expect(mcpOutcome(inMachine(script), policy("default", { settings: { permissions } }))).toBe(outcome)
})

it.each([
  ["xargs touch a", "ask other - Bash×1", "allow"],
  ["echo b | xargs touch a", "ask subcommandResults - Bash×1", "allow"],
  ["echo b | timeout 5 xargs touch a", "ask subcommandResults - Bash×1", "allow"],
  ["timeout 5 touch a", "allow", "allow"],
])("`%s` under a rule for exactly `touch a`: %s, as recorded; for what begins so: %s", (script, exact, prefix) => {
  const outcome = (rule: string) =>
    mcpOutcome(inMachine(script), policy("default", { settings: { permissions: { allow: [rule] } } }))
  expect([outcome("Bash(touch a)"), outcome("Bash(touch a:*)")]).toEqual([exact, prefix])
})

it.each(["env rm /tmp/x", "timeout -s KILL 5 rm /tmp/x", "/bin/rm /tmp/x", "time rm /tmp/x"])(
  "`%s` is asked about for its path although a rule allows what runs it, as recorded",
  (script) => {
    const permissions = { allow: ["Bash(env:*)", "Bash(timeout:*)", "Bash(/bin/rm:*)", "Bash(time:*)"] }
    const outcome = mcpOutcome(inMachine(script), policy("default", { settings: { permissions } }))
    expect(outcome).toBe("ask - path Bash×1 addDirectories acceptEdits")
  },
)

it(`${WITH_A_RULE.length} commands with variables are asked about, as recorded, although a rule allows their program`, () => {
  const permissions = { allow: ["Bash(echo:*)", "Bash(hello:*)", "Bash(mkdir:*)"] }
  const given = WITH_A_RULE.map((script) => [
    script,
    mcpOutcome(inMachine(script), policy("default", { settings: { permissions } })),
  ])
  expect(given).toEqual(WITH_A_RULE.map((script) => [script, "ask other - empty"]))
})

it(`${IN_DEFAULT.length} scripts are suggested to PermissionRequest hooks alone as recorded`, () => {
  const unattended = policy("default", { permission_prompts: "deny" })
  const withClient = (row: RecordedScript) => expected("default", row).split(" ").slice(3).join(" ")
  const given = IN_DEFAULT.map(([script]) => [
    script,
    mcpOutcome(inMachine(script), unattended).split(" ").slice(3).join(" "),
  ])
  const changed = new Map(WITHOUT_CLIENT)
  expect(given).toEqual(IN_DEFAULT.map((row) => [row[0], changed.get(row[0]) ?? withClient(row)]))
})
