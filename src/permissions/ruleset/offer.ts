// Receives a call that is asked about; returns the permissions that it lacks, in opencode's terms, and what `always` would save.
// Invariant: `always` is offered only if the same call would then run unasked; the call is decided again to find out.
import { savedId } from "../../schemas/permissions-saved.ts"
import type { AskedApproval, PermissionFor } from "../../schemas/log/ask-events.ts"
import { decide, type HookVerdict, type JudgedCall } from "../decide.ts"
import { judgeShell } from "../judge-shell.ts"
import type { Policy } from "../policy.ts"
import { hostOf } from "../rules.ts"
import { analysisOf } from "../shell-analysis.ts"
import { commandPrefix } from "../suggestions.ts"
import { lacksOf } from "./layer.ts"
import { approvalsOf } from "./ruleset.ts"

/** The most approvals that one answer saves. */
const MAX_SAVED = 20

export const offerFor = (call: JudgedCall, policy: Policy, hook?: HookVerdict): AskedApproval => {
  const lacks = lacksOf(call, policy)
  const needs = call.command === undefined ? lacks : [...commandsOf(call, policy), ...lacks]
  const always = distinct(needs.map((need) => approvalFor(need, call)))
  const approvals = approvalsOf(always)
  const then = { ...policy, approvals: policy.approvals === undefined ? approvals : policy.approvals.and(approvals) }
  const isOffered = always.length <= MAX_SAVED && decide(call, then, hook).behavior === "allow"
  return { needs: distinct(needs), always: isOffered ? always : [] }
}

/** The commands that lack permission; all commands when something else is the reason for the question. */
const commandsOf = (call: JudgedCall, policy: Policy): ReadonlyArray<PermissionFor> => {
  const { refused } = judgeShell(call, policy)
  const steps = refused.length > 0 ? refused.map(({ step }) => step) : analysisOf(call).steps
  const texts = steps.map(({ text }) => text).filter((text) => text !== "")
  return (texts.length > 0 ? texts : [call.command?.trim() ?? ""]).map((pattern) => ({ permission: "bash", pattern }))
}

const approvalFor = ({ permission, pattern }: PermissionFor, call: JudgedCall): PermissionFor => {
  switch (permission) {
    case "bash": {
      const step = analysisOf(call).steps.find(({ text }) => text === pattern)
      const prefix = step === undefined ? undefined : commandPrefix(step.text)
      return { permission, pattern: prefix === undefined ? exactly(pattern) : `${prefix} *` }
    }
    case "external_directory":
      return { permission, pattern: `${exactly(pattern.slice(0, pattern.lastIndexOf("/")))}/*` }
    case "webfetch":
      return { permission, pattern: hostOf(pattern) === null ? exactly(pattern) : `${new URL(pattern).origin}/*` }
    case "read":
    case "task":
    case "skill":
      return { permission, pattern: exactly(pattern) }
    case "edit":
      // A script that writes one file is no reason to open all of them.
      return { permission, pattern: call.command === undefined ? "*" : exactly(pattern) }
    default:
      return { permission, pattern: "*" }
  }
}

/** A pattern has no escapes: a star of the text becomes `?`, which matches any character. */
const exactly = (text: string): string => text.replaceAll("*", "?")

const distinct = (all: ReadonlyArray<PermissionFor>): ReadonlyArray<PermissionFor> => [
  ...new Map(all.map((one) => [savedId(one), one])).values(),
]
