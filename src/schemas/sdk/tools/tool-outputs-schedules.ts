// The structured results of the tools for schedules, monitors, notifications, findings and skills.
import * as Schema from "effect/Schema"
import { Effort } from "../options/options.ts"
import { Finding } from "./tool-inputs-later.ts"

const Text = Schema.String
const maybe = Schema.optionalKey

export const CronCreateOutput = Schema.Struct({
  id: Text,
  humanSchedule: Text,
  recurring: Schema.Boolean,
  durable: maybe(Schema.Boolean),
  nextFireAt: maybe(Schema.Finite),
  maxAgeMs: maybe(Schema.Finite),
  otherOneShots: maybe(Schema.Array(Schema.Struct({ id: Text, humanSchedule: Text, prompt: Text }))),
})
export type CronCreateOutput = typeof CronCreateOutput.Type

export const CronDeleteOutput = Schema.Struct({ id: Text, endedLoopWakeup: maybe(Schema.Literal(true)) })
export type CronDeleteOutput = typeof CronDeleteOutput.Type

export const CronListOutput = Schema.Struct({
  jobs: Schema.Array(
    Schema.Struct({
      id: Text,
      cron: Text,
      humanSchedule: Text,
      prompt: Text,
      recurring: maybe(Schema.Boolean),
      durable: maybe(Schema.Boolean),
      nextFireAt: maybe(Schema.Finite),
    }),
  ),
})
export type CronListOutput = typeof CronListOutput.Type

export const ScheduleWakeupOutput = Schema.Struct({
  scheduledFor: Schema.Finite,
  clampedDelaySeconds: Schema.Finite,
  wasClamped: Schema.Boolean,
  stopped: maybe(Schema.Boolean),
  cancelledWakeups: maybe(Schema.Finite),
})
export type ScheduleWakeupOutput = typeof ScheduleWakeupOutput.Type

export const MonitorOutput = Schema.Struct({
  taskId: Text,
  timeoutMs: Schema.Finite,
  persistent: maybe(Schema.Boolean),
  keptInSandboxByCheck: maybe(Schema.Boolean),
})
export type MonitorOutput = typeof MonitorOutput.Type

export const PushNotificationOutput = Schema.Struct({
  message: Text,
  pushSent: maybe(Schema.Boolean),
  localSent: maybe(Schema.Boolean),
  disabledReason: maybe(Schema.Literals(["config_off", "user_present", "no_transport"])),
  sentAt: maybe(Text),
})
export type PushNotificationOutput = typeof PushNotificationOutput.Type

export const ReadNotificationsOutput = Schema.Struct({
  notifications: Schema.Array(
    Schema.Struct({
      notification_id: Text,
      origin: Text,
      queued_at: Text,
      content: Text,
      arrived_at: maybe(Text),
    }),
  ),
  remaining: Schema.Finite,
  read_at: maybe(Text),
})
export type ReadNotificationsOutput = typeof ReadNotificationsOutput.Type

export const ReportFindingsOutput = Schema.Struct({
  count: Schema.Finite,
  level: maybe(Effort),
  findings: Schema.Array(Finding),
})
export type ReportFindingsOutput = typeof ReportFindingsOutput.Type

export const ProposeSkillsOutput = Schema.Struct({ proposalCount: Schema.Finite })
export type ProposeSkillsOutput = typeof ProposeSkillsOutput.Type
