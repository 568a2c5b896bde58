// Receives a session's policy; returns a test for the addresses that a tool is about to fetch.
// Invariant: a call reaches no address that the rules deny. It follows no redirect from the address that was permitted to one for
// which the rules are stricter, for example because they ask only about the second.
import type { Policy } from "./policy.ts"
import { mayApply, type Rule, type RuleSubject } from "./rules.ts"
import { isStricter } from "./ruleset/layer.ts"
import { addressOf } from "./ruleset/subjects.ts"

/**
 * Returns a test for URLs that `WebFetch(domain:…)` rules or the ruleset deny; it applies to every tool that fetches. `from` is
 * the permitted URL of a call that is redirected to `url`: then the test is also true if the rules are stricter for `url`.
 */
export const deniedUrls = (
  { cwd, matchesGlob }: Pick<RuleSubject, "cwd" | "matchesGlob">,
  { rules: { deny, ask }, ruleset }: Policy,
): ((url: string, from?: string) => boolean) => {
  const named = (rules: ReadonlyArray<Rule>, subject: string) =>
    rules.filter(
      (rule) =>
        rule.ruleContent !== undefined &&
        mayApply(rule, { toolName: "WebFetch", subject, paths: [], cwd, matchesGlob }),
    )
  return (url, from) => {
    if (named(deny, url).length > 0) return true
    const ruling = ruleset?.judge(addressOf(url))
    if (ruling?.outcome === "deny" && ruling.rule?.everything === false) return true
    if (from === undefined) return false
    const known = named(ask, from)
    return isStricter(ruling, ruleset?.judge(addressOf(from))) || named(ask, url).some((rule) => !known.includes(rule))
  }
}
