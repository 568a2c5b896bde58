// Receives rule texts such as `Bash(git:*)` or `Edit(./src/**)`; returns tests of whether they apply to a tool call.
// Invariant: a rule that is not understood never allows; in doubt a deny or ask rule applies and an allow rule does not.
import type { PermissionRuleValue, PermissionUpdate } from "../schemas/sdk/options/permissions.ts"
import { serverName } from "../schemas/sdk/tools/mcp-names.ts"
import { canonicalToolName, isToolName, toolOfPartName } from "../schemas/sdk/tools/tool-names.ts"
import { commandPattern, namePattern } from "./command-pattern.ts"
import { UNSEEN } from "./places.ts"
import { type MatchesGlob, type PathPattern, pathPattern, type PathRule, type RealPath } from "./path-pattern.ts"

/** The properties of a call that rules are matched against. */
export interface RuleSubject {
  readonly toolName: string
  /** The server of an MCP tool. */
  readonly mcpServer?: string
  /** The server whose resources a built-in tool reads: a rule for the whole server covers them too. */
  readonly readsServer?: string
  /** The type of the agent that the call continues: deny and ask rules `Agent(type)` apply to the call as to its start. */
  readonly continues?: string
  /** The shell script, when the tool runs one. */
  readonly command?: string
  /** Absolute paths: each as it was given, and under every name that it has while its links are resolved. */
  readonly paths: ReadonlyArray<string>
  readonly cwd: string
  /** What a rule's content is compared with where there is no path and no script: a URL, an agent's or a skill's name. */
  readonly subject?: string
  /** Whether an absolute path matches an absolute glob, in linear time; null when the glob can't be used. */
  readonly matchesGlob: MatchesGlob
  /** Resolves the links in a rule's own path; without it the path is used as written. */
  readonly realPath?: RealPath
  /** Whether a path is a directory of the workspace: what is suggested for it then refers to the directory itself. */
  readonly isDirectory?: (path: string) => boolean
}

/** Where a rule comes from: `cliArg` is an option of the session, `flagSettings` its `settings`, the rest an answer's destination. */
export type RuleSource = PermissionUpdate["destination"] | "flagSettings"

/** A rule, parsed once. */
export interface Rule extends PermissionRuleValue {
  readonly source: RuleSource
  readonly names: (toolName: string, mcpServer: string | undefined) => boolean
  readonly command: (command: string) => boolean
  readonly path: PathRule
  /** `path` in composed Unicode (NFC), when the rule is written in another form. */
  readonly composed?: PathRule
}

/**
 * `Bash(git:*)` → `{ toolName: "Bash", ruleContent: "git:*" }`; a bare name, `Bash()`, `Bash(*)` and `Bash(:*)` have no content
 * (see `isEmptyRule`).
 */
export const parseRule = (text: string): PermissionRuleValue => {
  const open = text.indexOf("(")
  if (open <= 0 || !text.endsWith(")")) return { toolName: canonicalToolName(text.trim()) }
  const toolName = canonicalToolName(text.slice(0, open).trim())
  const content = text.slice(open + 1, -1).replace(/\\([()])/g, "$1")
  return content === "" || content === "*" || content === ":*" ? { toolName } : { toolName, ruleContent: content }
}

/**
 * A deny or ask rule as it is probably meant: with the spelling of a tool's name, and without blanks, quotes and invisible
 * characters that no command or path has: `bash( ls :*)` → `Bash(ls:*)`.
 */
export const meantRule = (text: string): string => {
  const { toolName, ruleContent = "" } = parseRule(text.normalize("NFKC").replace(UNSEEN, ""))
  const known = canonicalToolName(toolOfPartName(toolName.toLowerCase()))
  const content = ruleContent
    .trim()
    .replace(/(["'])(.*?)\1|\s+(:\*$)?/gs, (_, quote, inner, end = " ") => (quote === undefined ? end : inner))
  return formatRule({ toolName: isToolName(known) ? known : toolName, ruleContent: content })
}

/** True for a rule such as `Bash()` or `Bash(:*)`. */
export const isEmptyRule = (text: string): boolean => text.endsWith("()") || text.endsWith("(:*)")

export const formatRule = ({ toolName, ruleContent }: PermissionRuleValue): string =>
  ruleContent === undefined ? toolName : `${toolName}(${ruleContent.replace(/[()]/g, "\\$&")})`

/**
 * `mcp__server` and `mcp__server__*` name all tools of a server, whose name is spelled as in the names of its tools; a `*`
 * elsewhere is any text.
 */
const namesOf = (ruleName: string): Rule["names"] => {
  const matches = namePattern(ruleName)
  if (!ruleName.startsWith("mcp__")) return matches
  return (toolName, mcpServer) => {
    if (matches(toolName)) return true
    if (mcpServer === undefined) return toolName.startsWith(`${ruleName}__`)
    // The tools that read a server's resources have names of their own.
    const name = serverName(mcpServer)
    return ruleName === `mcp__${mcpServer}` || ruleName === name || matches(`${name}__`)
  }
}

/** Whether an allow rule may be for a tool of this server: `mcp__a__*` is for none of the server `a__b`. */
const mayBeOf = ({ toolName }: Rule, server: string | undefined): boolean =>
  server === undefined || toolName === `mcp__${server}` || `${toolName}__`.startsWith(`${serverName(server)}__`)

/** Tests of tools that this deny rule denies whatever their input: as it is written and as it is meant; none for a rule with content. */
export const wholeTools = (text: string): ReadonlyArray<Rule["names"]> =>
  [text, meantRule(text)].flatMap((one) => {
    const { toolName, ruleContent } = parseRule(one)
    return ruleContent === undefined ? [namesOf(toolName)] : []
  })

/** As the official SDK: an allow rule names one tool, or tools of one server (`mcp__server__get_*`); with any other `*` it allows nothing. */
export const canAllow = ({ toolName }: PermissionRuleValue): boolean =>
  !toolName.includes("*") || /^mcp__[^*]+__/.test(toolName)

export const compileRule = (text: string, source: RuleSource): Rule => {
  const rule = parseRule(text)
  const content = rule.ruleContent ?? "**"
  const composed = content.normalize("NFC")
  return {
    ...rule,
    source,
    names: namesOf(rule.toolName),
    command: commandPattern(rule.ruleContent ?? "*"),
    path: pathPattern(content),
    ...(composed === content ? {} : { composed: pathPattern(composed) }),
  }
}

const EDITS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"])
const READS: ReadonlySet<string> = new Set(["Read", "Glob", "Grep", "LS"])

/** The kind of a rule whose content is a path, else null. As in the official SDK only `Edit(…)` and `Read(…)` are such rules. */
export const pathRule = ({ toolName, ruleContent }: Rule): "Edit" | "Read" | null =>
  ruleContent !== undefined && (toolName === "Edit" || toolName === "Read") ? toolName : null

/** `Write(…)`, `NotebookEdit(…)`, `Glob(…)`, `Grep(…)` and `LS(…)` match nothing. */
const isInert = ({ toolName }: Rule): boolean => EDITS.has(toolName) || READS.has(toolName)

/**
 * Whether a deny or ask rule may apply to one of the paths or shell globs. Composed Unicode (NFC) is compared too, since
 * some file systems treat two Unicode spellings of a name as the same.
 */
export const mayTouchAny = (
  rule: Rule,
  { cwd, matchesGlob, realPath }: Pick<RuleSubject, "cwd" | "matchesGlob" | "realPath">,
  paths: ReadonlyArray<string>,
): boolean => {
  const touches = (pattern: PathPattern) => paths.some((path) => pattern.mayTouch(path, matchesGlob))
  if (rule.path.everywhere(cwd, realPath).some(touches)) return true
  const composed = paths.map((path) => path.normalize("NFC"))
  if (rule.composed === undefined && composed.every((path, index) => path === paths[index])) return false
  const pattern = (rule.composed ?? rule.path).at(cwd.normalize("NFC"))
  return composed.some((path) => pattern.mayTouch(path, matchesGlob))
}

const ofPaths = (kind: "Edit" | "Read", rule: Rule, call: RuleSubject, strict: boolean): boolean => {
  // Permission to edit a file includes permission to read it.
  const covered =
    kind === "Edit" ? EDITS.has(call.toolName) || (strict && READS.has(call.toolName)) : READS.has(call.toolName)
  if (!covered) return false
  if (call.paths.length === 0) return !strict
  if (strict) {
    const pattern = rule.path.at(call.cwd)
    return call.paths.every((path) => pattern.covers(path, call.matchesGlob) === true)
  }
  return mayTouchAny(rule, call, call.paths)
}

/** The host of a URL in lower case, without trailing dots; null when the URL can't be parsed. */
export const hostOf = (url: string): string | null =>
  URL.canParse(url) ? new URL(url).hostname.replace(/\.+$/, "") : null

const HOST = /^(?:[^/:@?#\\]+|\[[\da-f:.]+\])$/i

/**
 * A host, or a pattern of hosts, in the form of `hostOf`: `münchen.example.` as `xn--mnchen-3ya.example`. Null for a text that
 * is neither, such as a host with a port.
 */
const hostPattern = (text: string): string | null =>
  HOST.test(text) ? (hostOf(`https://${text}`) ?? text.toLowerCase()) : null

const ofSubject = (content: string, { subject, toolName }: RuleSubject, strict: boolean): boolean => {
  if (subject === undefined) return !strict
  // As the official SDK: `Skill(name:*)` is the skill with any arguments.
  if (toolName === "Skill") return namePattern(content.replace(/:\*$/, ""))(subject)
  if (toolName !== "WebFetch") return namePattern(content)(subject)
  if (!content.startsWith("domain:")) return !strict
  const [host, pattern] = [hostOf(subject), hostPattern(content.slice(7).trim())]
  return host === null || pattern === null ? !strict : namePattern(pattern)(host)
}

/**
 * Whether an allow rule covers the call: every part of it. The content of a rule for a shell is compared neither here nor in
 * `mayApply`: judge-shell does that, command by command.
 */
export const covers = (rule: Rule, call: RuleSubject): boolean => ruleMatches(rule, call, true)

/** Whether a deny or ask rule applies to the call; in doubt it does. */
export const mayApply = (rule: Rule, call: RuleSubject): boolean => ruleMatches(rule, call, false)

/** `strict`: every part of the call must be covered, and what is not known is not. */
const ruleMatches = (rule: Rule, call: RuleSubject, strict: boolean): boolean => {
  const { ruleContent } = rule
  if (strict && !(canAllow(rule) && mayBeOf(rule, call.mcpServer))) return false
  if (ruleContent === undefined) {
    return rule.names(call.toolName, call.mcpServer ?? call.readsServer)
  }
  const kind = pathRule(rule)
  if (kind !== null) return ofPaths(kind, rule, call, strict)
  if (!strict && rule.toolName === "Agent" && namePattern(ruleContent)(call.continues ?? "")) return true
  if (isInert(rule) || call.command !== undefined || !rule.names(call.toolName, call.mcpServer)) return false
  return ofSubject(ruleContent, call, strict)
}

/**
 * Whether a deny rule for reading covers a file that the call would change. As the official SDK: Write and Edit don't change such a
 * file; an entry `Read` of `disallowedTools` only removes that tool.
 */
export const forbidsReading = (rule: Rule, call: RuleSubject): boolean =>
  (call.toolName === "Write" || call.toolName === "Edit") &&
  rule.toolName === "Read" &&
  (rule.ruleContent !== undefined || rule.source !== "cliArg") &&
  mayApply(rule, { ...call, toolName: "Read" })
