// The inputs of the tools for schedules, monitors, notifications, findings and skills.
import * as Schema from "effect/Schema"
import { Effort } from "../options/options.ts"
import { Id, Line, list, optional, Page, described, Url } from "./tool-fields.ts"

export const CronCreateInput = Schema.Struct({
  cron: described(Line, "Five fields: minute, hour, day of month, month, day of week."),
  prompt: described(Page, "The prompt to send at that time."),
  recurring: optional(Schema.Boolean, "False fires once (default true)."),
  durable: optional(Schema.Boolean, "True outlives the process (default false)."),
})
export type CronCreateInput = typeof CronCreateInput.Type

export const CronDeleteInput = Schema.Struct({ id: described(Id, "The schedule to cancel.") })
export type CronDeleteInput = typeof CronDeleteInput.Type

export const CronListInput = Schema.Struct({})
export type CronListInput = typeof CronListInput.Type

export const ScheduleWakeupInput = Schema.Struct({
  delaySeconds: optional(Schema.Finite, "How long to wait; values beyond the limits are clamped."),
  reason: optional(Line, "Why."),
  prompt: optional(Page, "The prompt to send then."),
  stop: optional(Schema.Boolean, "True cancels the schedule."),
  noop: optional(Schema.Boolean, "True schedules nothing and reports that."),
})
export type ScheduleWakeupInput = typeof ScheduleWakeupInput.Type

export const MonitorInput = Schema.Struct({
  description: described(Line, "What is watched."),
  timeout_ms: described(Schema.Finite, "When to stop watching."),
  command: optional(Page, "Not supported here: use ws."),
  ws: optional(
    Schema.Struct({ url: Url, protocols: Schema.optionalKey(list(Line, 20)) }),
    "A WebSocket whose messages are the events.",
  ),
})
export type MonitorInput = typeof MonitorInput.Type

export const PushNotificationInput = Schema.Struct({
  message: described(Line, "What to tell the user."),
  status: Schema.optionalKey(Schema.Literal("proactive")),
})
export type PushNotificationInput = typeof PushNotificationInput.Type

export const ReadNotificationsInput = Schema.Struct({})
export type ReadNotificationsInput = typeof ReadNotificationsInput.Type

export const Finding = Schema.Struct({
  file: described(Line, "Where it is."),
  line: Schema.optionalKey(Schema.Finite),
  summary: described(Line, "What is wrong."),
  short_summary: Schema.optionalKey(Line),
  failure_scenario: described(Page, "What goes wrong because of it, and when."),
  category: Schema.optionalKey(Line),
  severity: Schema.optionalKey(Schema.Literals(["important", "pre_existing", "nit"])),
  verdict: Schema.optionalKey(Schema.Literals(["CONFIRMED", "PLAUSIBLE"])),
  outcome: Schema.optionalKey(Schema.Literals(["fixed", "skipped", "no_change_needed"])),
})
export type Finding = typeof Finding.Type

export const ReportFindingsInput = Schema.Struct({
  level: optional(Effort, "How thorough the review was."),
  findings: described(list(Finding, 500), "All findings, the worst first."),
})
export type ReportFindingsInput = typeof ReportFindingsInput.Type

const SkillProposal = Schema.Struct({
  name: described(Id, "The skill's name."),
  kind: Schema.Literals(["new", "improvement"]),
  target: optional(Line, "The skill to improve."),
  description: described(Line, "What it is for."),
  evidence: optional(list(Page, 100), "What in the work suggests it."),
  edits: optional(
    Schema.Array(Schema.Struct({ old_string: Page, new_string: Page })).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(100),
    ),
    "Changes to the skill's text.",
  ),
  skillMd: optional(Page, "The new skill's text."),
})
export type SkillProposal = typeof SkillProposal.Type

export const ProposeSkillsInput = Schema.Struct({
  proposals: Schema.Array(SkillProposal).check(Schema.isMinLength(1), Schema.isMaxLength(3)),
})
export type ProposeSkillsInput = typeof ProposeSkillsInput.Type
