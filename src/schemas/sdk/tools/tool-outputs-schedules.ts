// The structured results of the tools for schedules, monitors, notifications, findings and skills.
import * as Schema from "effect/Schema"
import { Effort } from "../options/options.ts"
import { Finding } from "./tool-inputs-schedules.ts"

const Text = Schema.String
const opt = Schema.optionalKey

export const CronCreateOutput = Schema.Struct({
  id: Text,
  humanSchedule: Text,
  recurring: Schema.Boolean,
  durable: opt(Schema.Boolean),
  nextFireAt: opt(Schema.Finite),
  maxAgeMs: opt(Schema.Finite),
  otherOneShots: opt(Schema.Array(Schema.Struct({ id: Text, humanSchedule: Text, prompt: Text }))),
})
export type CronCreateOutput = typeof CronCreateOutput.Type

export const CronDeleteOutput = Schema.Struct({ id: Text, endedLoopWakeup: opt(Schema.Literal(true)) })
export type CronDeleteOutput = typeof CronDeleteOutput.Type

export const CronListOutput = Schema.Struct({
  jobs: Schema.Array(
    Schema.Struct({
      id: Text,
      cron: Text,
      humanSchedule: Text,
      prompt: Text,
      recurring: opt(Schema.Boolean),
      durable: opt(Schema.Boolean),
      nextFireAt: opt(Schema.Finite),
    }),
  ),
})
export type CronListOutput = typeof CronListOutput.Type

export const ScheduleWakeupOutput = Schema.Struct({
  scheduledFor: Schema.Finite,
  clampedDelaySeconds: Schema.Finite,
  wasClamped: Schema.Boolean,
  stopped: opt(Schema.Boolean),
  cancelledWakeups: opt(Schema.Finite),
})
export type ScheduleWakeupOutput = typeof ScheduleWakeupOutput.Type

export const MonitorOutput = Schema.Struct({
  taskId: Text,
  timeoutMs: Schema.Finite,
  persistent: opt(Schema.Boolean),
  keptInSandboxByCheck: opt(Schema.Boolean),
})
export type MonitorOutput = typeof MonitorOutput.Type

export const PushNotificationOutput = Schema.Struct({
  message: Text,
  pushSent: opt(Schema.Boolean),
  localSent: opt(Schema.Boolean),
  disabledReason: opt(Schema.Literals(["config_off", "user_present", "no_transport"])),
  sentAt: opt(Text),
})
export type PushNotificationOutput = typeof PushNotificationOutput.Type

export const ReadNotificationsOutput = Schema.Struct({
  notifications: Schema.Array(
    Schema.Struct({
      notification_id: Text,
      origin: Text,
      queued_at: Text,
      content: Text,
      arrived_at: opt(Text),
    }),
  ),
  remaining: Schema.Finite,
  read_at: opt(Text),
})
export type ReadNotificationsOutput = typeof ReadNotificationsOutput.Type

export const ReportFindingsOutput = Schema.Struct({
  count: Schema.Finite,
  level: opt(Effort),
  findings: Schema.Array(Finding),
})
export type ReportFindingsOutput = typeof ReportFindingsOutput.Type

export const ProposeSkillsOutput = Schema.Struct({ proposalCount: Schema.Finite })
export type ProposeSkillsOutput = typeof ProposeSkillsOutput.Type
