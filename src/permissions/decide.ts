// Receives a decoded tool call and the session's policy; returns what may happen to it.
// Invariant: a deny rule wins over everything, an ask rule over every allow; what nothing allows is asked about.
import type { PermissionUpdate } from "../schemas/sdk/options/permissions.ts"
import { askScript } from "./ask-script.ts"
import { isCommandRule } from "./command-rules.ts"
import type { Bounds } from "./file-rules.ts"
import { erasesAll, guardedInShell, isForeseen, judgeShell, ruleMeetsShell } from "./judge-shell.ts"
import { isGuarded } from "./places.ts"
import type { Policy } from "./policy.ts"
import { type Reason, tacit, clientReason } from "./reason.ts"
import { allowedBy, isOpen, restrictsCommands, ruledBy } from "./ruleset/layer.ts"
import { type CompiledRule, formatRulesetRule } from "./ruleset/ruleset.ts"
import { formatRule, hostOf, type Rule, forbidsReading, covers, mayApply, type RuleSubject, pathRule } from "./rules.ts"
import { analysisOf, type ShellAnalysis, type ShellStep } from "./shell-analysis.ts"
import { shortened } from "../schemas/shortened.ts"
import { forDomain, forEdit, forRead, forSkill, forTool, type Suggestions } from "./suggestions.ts"
import { DENIED_PATH_TEXT, deniedText, dontAskText, planText, unansweredText, UNREADABLE_PATH_TEXT } from "./texts.ts"

/** What the engine needs to know about a call. */
export interface JudgedCall extends RuleSubject {
  readonly readOnly: boolean
  readonly edits: boolean
  readonly internal: boolean
  /** Paths as the call spells them, and its search pattern: opencode's rules are matched against both. */
  readonly spelled?: ReadonlyArray<string>
  readonly search?: string
  /** The analysis of a shell script; without it nothing is known about the script, and it is asked about. */
  readonly shell?: ShellAnalysis
  /** True when the call is itself a question to the user: it is asked in every mode but `dontAsk`, which denies it. */
  readonly asksAlways?: boolean
  /** True when the call uses only the session's plan file, which is read and written without asking. */
  readonly ownPlan?: boolean
}

/** The verdict of PreToolUse hooks that neither denied nor deferred the call. */
export interface HookVerdict {
  readonly behavior: "allow" | "ask"
  readonly reason?: string
}

interface MatchedAskRule {
  readonly source: string
  readonly tool_name: string
  readonly rule_content?: string
}

export interface Question {
  readonly behavior: "ask"
  readonly reason: Reason
  /** The tool result for the model when no client can be asked. */
  readonly message: string
  /** Null when the question has no `suggestions` field; an empty list is sent as such. */
  readonly suggestions: ReadonlyArray<PermissionUpdate> | null
  readonly blockedPath?: string
  readonly matchedAskRule?: MatchedAskRule
}

interface Allowed {
  readonly behavior: "allow"
  readonly reason: Reason
  readonly bounds?: Bounds
}

type Denied = Readonly<{ behavior: "deny"; reason: Reason; message: string }>

export type Decision = Allowed | Denied | Question

/** What the kind of tool, the allow rules and the mode decide about a call. */
type Verdict =
  | Allowed
  | {
      readonly behavior: "ask"
      readonly reason: Reason
      readonly suggestions: Suggestions | null
      readonly blockedPath?: string
      /** True when the call has no reason of its own to be asked about: an ask rule that matches is then the reason. */
      readonly hasNoOwnReason?: true
    }

/**
 * The order is that of the official SDK: deny, ask, hook's ask, guarded paths, hook's allow, bypass, allow, mode. After
 * guarded paths Perch adds one question of its own, about scripts whose commands can't be known.
 */
export const decide = (call: JudgedCall, given: Policy, hook?: HookVerdict): Decision => {
  const policy = policyFor(call, given)
  const denied = denialOf(call, policy)
  if (denied !== null) return denied

  const { outcome, rule: authored } = ruledBy(call, policy)
  const asked = policy.rules.ask.find((rule) => applies(rule, call))
  if (asked !== undefined) return askedByRule(asked, call, policy)
  if (outcome === "ask" && authored !== undefined)
    return question(call, policy, { behavior: "ask", reason: ofAuthored(authored), suggestions: null }, authored)
  if (hook?.behavior === "ask") {
    const reason: Reason = { type: "hook", text: hook.reason ?? `a hook asks about ${call.toolName}` }
    return question(call, policy, { behavior: "ask", reason, suggestions: null })
  }
  if (call.asksAlways === true) return question(call, policy, ownQuestion(call))
  const bypass = policy.mode === "bypassPermissions"
  // As the official SDK: in bypassPermissions the mode is the reason, for internal calls too.
  if (call.internal && !bypass) return allow(tacit("calls of this tool need no permission"))
  const guarded = erasesAll(call, policy) ?? (bypass || call.ownPlan === true ? null : guardedPath(call, policy))
  if (guarded !== null) return question(call, policy, guarded)
  const unknown = unknownScript(call, policy, hook)
  if (unknown !== null) return question(call, policy, unknown)
  if (hook?.behavior === "allow") {
    if (policy.mode !== "plan" || call.readOnly || call.ownPlan === true)
      return allow({ type: "hook", text: hook.reason ?? "a hook allowed it" })
    return question(call, policy, IN_PLAN_MODE)
  }
  if (bypass) return allow({ type: "mode", text: "bypassPermissions" })
  if (call.ownPlan === true) return allow({ type: "other", text: "the session's own plan file" }, "unasked")
  const verdict = judge(call, policy)
  return verdict.behavior === "allow" ? verdict : question(call, policy, verdict)
}

const denialOf = (call: JudgedCall, policy: Policy): Denied | null => {
  const denied = policy.rules.deny.find((rule) => applies(rule, call))
  if (denied !== undefined) return denial(ruleReason(denied, call), deniedText(call))
  const { outcome, rule } = ruledBy(call, policy)
  return outcome === "deny" && rule !== undefined ? denial(ofAuthored(rule), deniedText(call)) : null
}

const denial = (reason: Reason, message: string): Denied => ({ behavior: "deny", reason, message })

/** Judges a call once more that was allowed, since its input or the rules may have changed: the denial, or null. */
export const lateDenial = (call: JudgedCall, policy: Policy): Denied | null => {
  const text = deniedPath(call, policy)
  return text === null ? denialOf(call, policyFor(call, policy)) : denial({ type: "rule", text }, text)
}

/** The policy for the call: in `bypassPermissions`, that of `default` mode for MCP servers which that mode does not cover. */
const policyFor = ({ mcpServer }: JudgedCall, policy: Policy): Policy =>
  policy.mode === "bypassPermissions" && mcpServer !== undefined && policy.judged?.has(mcpServer) === true
    ? { ...policy, mode: "default" }
    : policy

/** Checked before any hook runs: the error text for the model when a deny rule matches one of the call's paths, else null. */
export const deniedPath = (call: JudgedCall, policy: Policy): string | null => {
  if (call.command !== undefined) return null
  const denied = policy.rules.deny.some((rule) => pathRule(rule) !== null && mayApply(rule, call))
  if (denied) return DENIED_PATH_TEXT
  if (policy.rules.deny.some((rule) => forbidsReading(rule, call))) return UNREADABLE_PATH_TEXT
  if (call.paths.length === 0) return null
  const { outcome, rule } = ruledBy(call, policy)
  return outcome === "deny" && rule?.everything === false ? DENIED_PATH_TEXT : null
}

/** A question under the field names of `can_use_tool`. When a rule for a whole tool asks, nothing is suggested. */
export const questionFields = ({ reason, suggestions, blockedPath, matchedAskRule }: Question) => ({
  ...(suggestions === null || matchedAskRule !== undefined ? {} : { suggestions }),
  ...(blockedPath === undefined ? {} : { blocked_path: blockedPath }),
  ...(matchedAskRule === undefined ? {} : { matched_ask_rule: matchedAskRule }),
  ...clientReason(reason),
})

const allow = (reason: Reason, bounds: Bounds = null): Allowed => ({ behavior: "allow", reason, bounds })

/** Whether a deny or ask rule applies to the call; in doubt it does. */
const applies = (rule: Rule, call: JudgedCall): boolean =>
  mayApply(rule, call) || (call.command !== undefined && rule.ruleContent !== undefined && ruleMeetsShell(rule, call))

/**
 * The reason of a rule that matched a script. As the official SDK: `subcommandResults`, unless the rule is exactly that script,
 * or the script is a subshell, a group, or has commands inside its words.
 */
const ruleReason = (rule: Rule, { command }: JudgedCall): Reason => {
  const script = command?.trim()
  const isWhole =
    script === undefined ||
    rule.ruleContent === undefined ||
    rule.ruleContent.replace(/:\*$/, "").trim() === script ||
    (pathRule(rule) === null && /^[({]|\$\(|`/.test(script))
  return isWhole ? ofRule(rule) : { type: "subcommandResults", text: `rule ${formatRule(rule)}` }
}

const ofRule = (rule: Rule): Reason => ({
  type: "rule",
  text: `rule ${formatRule(rule)}`,
  ...(rule.source === "session" ? { answered: true } : {}),
})

/** The decision for a call that needs an answer: a question, or a denial in `dontAsk` mode. */
const question = (
  call: JudgedCall,
  policy: Policy,
  { reason, suggestions, blockedPath }: Extract<Verdict, { behavior: "ask" }>,
  rule?: Rule | CompiledRule,
): Decision => {
  // A hook's question is asked even in `dontAsk` mode.
  if (policy.mode === "dontAsk" && reason.type !== "hook")
    return { behavior: "deny", reason: { type: "mode", text: "dontAsk" }, message: dontAskText(call) }
  return {
    behavior: "ask",
    reason,
    message: reason.type === "hook" ? reason.text : reason.type === "mode" ? planText(call) : unansweredText(call),
    suggestions,
    ...(blockedPath === undefined ? {} : { blockedPath }),
    ...(rule === undefined ? {} : { matchedAskRule: matchedFields(rule) }),
  }
}

const matchedFields = (rule: Rule | CompiledRule): MatchedAskRule => {
  if ("permission" in rule) {
    const { permission, pattern, everything } = rule
    return {
      source: "cliArg",
      tool_name: permission,
      ...(everything ? {} : { rule_content: shortened(pattern, 1000) }),
    }
  }
  const { source, toolName, ruleContent } = rule
  return { source, tool_name: toolName, ...(ruleContent === undefined ? {} : { rule_content: ruleContent }) }
}

const ofAuthored = (rule: CompiledRule): Reason => ({ type: "rule", text: `rule ${formatRulesetRule(rule)}` })

/**
 * An ask rule for a whole tool is reported together with the reason for which the call would be asked about anyway; without
 * such a reason, as for internal calls and in plan mode for MCP servers, the rule is the reason.
 */
const askedByRule = (rule: Rule, call: JudgedCall, policy: Policy): Decision => {
  const text = `rule ${formatRule(rule)} asks`
  if (rule.ruleContent === undefined && !call.internal && !(call.mcpServer !== undefined && policy.mode === "plan")) {
    const allow = policy.rules.allow.filter((one) => one.ruleContent !== undefined)
    const own = guardedPath(call, policy) ?? judge(call, { ...policy, rules: { ...policy.rules, allow } })
    if (own.behavior === "ask" && own.hasNoOwnReason !== true) return question(call, policy, own, rule)
  }
  const host = rule.ruleContent !== undefined && call.toolName === "WebFetch" ? hostOf(call.subject ?? "") : null
  const suggestions = host === null ? null : forDomain(call.toolName, host)
  const type = rule.ruleContent !== undefined && asksOfSeveral(call, policy) ? "subcommandResults" : "rule"
  return question(call, policy, { behavior: "ask", reason: { type, text }, suggestions })
}

/** True when more than one command of the script is asked about, because of a rule or because nothing allows it. */
const asksOfSeveral = (call: JudgedCall, policy: Policy): boolean => {
  if (call.command === undefined) return false
  const lacking = new Set(judgeShell(call, policy).refused.map(({ step }) => step))
  const rules = policy.rules.ask.filter(
    (rule) => rule.ruleContent !== undefined && rule.names(call.toolName, undefined),
  )
  const asked = ({ text, hidden }: ShellStep) => rules.some((rule) => rule.command(text) || hidden.some(rule.command))
  return analysisOf(call).steps.filter((step) => lacking.has(step) || asked(step)).length > 1
}

/** A path of the call that is not open to it. Searches from the end: the last of a file's names is its real path. */
const closedPath = (call: JudgedCall, policy: Policy): string | undefined =>
  call.paths.findLast((path) => !isOpen(path, call.cwd, policy))

const guardedPath = (call: JudgedCall, policy: Policy): Extract<Verdict, { behavior: "ask" }> | null => {
  const inShell = call.command === undefined ? undefined : guardedInShell(call, policy.mode)
  const edited = call.command !== undefined || call.readOnly ? undefined : call.paths.findLast(isGuarded)
  const path = inShell?.path ?? edited
  if (path === undefined) return null
  const reason: Reason = {
    type: "safetyCheck",
    text: `${path} is a guarded path: other programs execute or follow its content`,
  }
  if (inShell !== undefined) return { behavior: "ask", reason, suggestions: inShell.suggestions, blockedPath: path }
  return { behavior: "ask", reason, suggestions: forEdit(policy.mode, call, closedPath(call, policy)) }
}

/**
 * When there are deny or ask rules for commands, a script whose commands can't be known is asked about in every mode, since
 * it may run what they forbid. An allow rule for exactly this script permits it; so does a hook's allow if rules only deny.
 */
const unknownScript = (
  call: JudgedCall,
  policy: Policy,
  hook: HookVerdict | undefined,
): Extract<Verdict, { behavior: "ask" }> | null => {
  if (call.command === undefined || isForeseen(call)) return null
  const { deny, ask } = policy.rules
  const ruled = (rule: Rule) => isCommandRule(rule, call.toolName)
  if (!ask.some(ruled) && !restrictsCommands(policy) && (hook?.behavior === "allow" || !deny.some(ruled))) return null
  const verdict = judgeScript(call, policy)
  return verdict.behavior === "ask" ? verdict : null
}

const IN_PLAN_MODE = {
  behavior: "ask",
  reason: { type: "mode", text: "plan mode only reads" },
  suggestions: null,
} as const

const ownQuestion = ({ toolName }: JudgedCall) =>
  ({ behavior: "ask", reason: tacit(`${toolName} is a question to the user`), suggestions: [] }) as const

const judge = (call: JudgedCall, policy: Policy): Verdict => {
  if (call.asksAlways === true) return ownQuestion(call)
  const rule = policy.rules.allow.find((one) => covers(one, call))
  const layered = rule === undefined ? allowedBy(call, policy) : null
  const reads = call.readOnly && !needsPermission(call)
  const isAllowed = rule !== undefined || layered !== null
  const acts = call.edits || call.mcpServer !== undefined
  // As in the official SDK: an allow rule for commands or skills applies, since what a skill allows is judged by itself.
  const plans = policy.mode === "plan" && call.command === undefined && call.toolName !== "Skill"
  if (plans && (isAllowed || acts) && !call.readOnly) return IN_PLAN_MODE
  if (rule !== undefined) return allow(ofRule(rule), unaskedIf(pathRule(rule) !== null))
  if (layered !== null) return allow(ofLayer(layered), unaskedIf(call.command === undefined && call.paths.length > 0))
  if (call.command !== undefined) return judgeScript(call, policy)

  const outside = closedPath(call, policy)
  if (outside !== undefined) {
    const reason: Reason = { type: "workingDir", text: `${outside} is outside the working directory` }
    const suggestions = call.edits ? forEdit(policy.mode, call, outside) : forRead(call, outside)
    return { behavior: "ask", reason, suggestions }
  }
  const { outcome, rule: byDefault } = ruledBy(call, policy)
  if (outcome === "default" && byDefault !== undefined && !(policy.mode === "acceptEdits" && call.edits)) {
    const suggestions = reads && call.paths.length > 0 ? [] : suggestionsFor(call, policy)
    return { behavior: "ask", reason: ofAuthored(byDefault), suggestions }
  }
  if (reads) return allow({ type: "mode", text: "reads in the working directory" }, unaskedIf(call.paths.length > 0))
  if (policy.mode === "acceptEdits" && call.edits) return allow({ type: "mode", text: "acceptEdits" }, "unasked")
  return {
    behavior: "ask",
    reason: tacit(`${call.toolName} needs permission`),
    suggestions: suggestionsFor(call, policy),
    ...(call.mcpServer === undefined ? {} : { hasNoOwnReason: true }),
  }
}

const unaskedIf = (isByFiles: boolean): Bounds => (isByFiles ? "unasked" : null)

const ofLayer = (rule: CompiledRule | "approvals"): Reason =>
  rule === "approvals" ? { type: "rule", text: "a saved approval", answered: true } : ofAuthored(rule)

/** True for tools that access something outside the session: they are asked about although they change nothing. */
const needsPermission = ({ toolName, mcpServer }: JudgedCall): boolean =>
  mcpServer !== undefined || toolName.startsWith("mcp__") || toolName === "WebFetch" || toolName === "WebSearch"

const suggestionsFor = (call: JudgedCall, policy: Policy): Suggestions => {
  if (call.edits) return forEdit(policy.mode, call)
  const { toolName, subject = "" } = call
  if (toolName === "Skill" && subject !== "") return forSkill(subject)
  const host = toolName === "WebFetch" ? hostOf(subject) : null
  return host === null ? forTool(toolName) : forDomain(toolName, host)
}

const judgeScript = (call: JudgedCall, policy: Policy): Verdict => {
  const verdict = judgeShell(call, policy)
  // As the official SDK: plan mode suggests for a script what the mode before it would.
  const mode = (policy.mode === "plan" && policy.modeBeforePlan) || policy.mode
  const asked = askScript(call, mode, analysisOf(call), verdict, policy.prompts === "deny")
  if (asked === null)
    return allow({ type: "subcommandResults", text: "every command of the script is allowed" }, verdict.bounds)
  const { hasOwnReason, ...question } = asked
  return { behavior: "ask", ...question, ...(hasOwnReason ? {} : { hasNoOwnReason: true }) }
}
