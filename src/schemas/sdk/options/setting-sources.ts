// `settingSources`: the workspace files from which a session reads instructions, skills, agents and settings.
import * as Schema from "effect/Schema"

export const SettingSource = Schema.Literals(["user", "project", "local"])
export type SettingSource = typeof SettingSource.Type

export const SettingSources = Schema.Array(SettingSource).check(Schema.isMaxLength(3))
