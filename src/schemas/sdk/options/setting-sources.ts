// `settingSources`: which files of the workspace a session takes instructions, skills, agents and settings from.
import * as Schema from "effect/Schema"

export const SettingSource = Schema.Literals(["user", "project", "local"])
export type SettingSource = typeof SettingSource.Type

export const SettingSources = Schema.Array(SettingSource).check(Schema.isMaxLength(3))
