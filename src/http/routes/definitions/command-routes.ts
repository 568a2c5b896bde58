// The routes of the slash commands that a tenant stores; Perch's own are listed with them.
import { BUILT_IN_COMMANDS, LOCAL_COMMANDS, SETTING_COMMANDS } from "../../../agent/commands/built-in.ts"
import { commandRows } from "../../contract/definitions/commands.ts"
import type { App } from "../../handle.ts"
import { definitionRoutes } from "./definition-routes.ts"

export const commandRoutes = (app: App): void =>
  definitionRoutes(app, commandRows, {
    kind: "command",
    noun: "command",
    issues: () => [],
    builtIn: [
      ...[...LOCAL_COMMANDS, ...SETTING_COMMANDS].map(({ name, description }) => ({ name, description })),
      ...BUILT_IN_COMMANDS.map(({ name, description, body }) => ({
        name,
        description,
        ...(body.kind === "template" ? { template: body.read() } : {}),
      })),
    ],
  })
