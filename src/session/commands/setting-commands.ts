// The commands that change the session: `/model`, `/effort` and `/rename` with an argument.
// Invariant: prompts of tickets change nothing, because the log does not contain their roles. Every key that may send prompts
// may also change these settings.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SETTING_COMMANDS } from "../../agent/commands/built-in.ts"
import type { Command } from "../../agent/commands/command.ts"
import { Hooks } from "../../agent/ports.ts"
import { modelOf } from "../../agent/step-request.ts"
import { Effort } from "../../schemas/sdk/options/options.ts"
import { ControlError, permitted } from "../control/control-error.ts"
import { switchModel } from "../control/switch-model.ts"
import type { SessionCore } from "../core.ts"
import type { FireParts } from "../hooks/hooks-outside-turn.ts"
import { keptTitle } from "../record-changes.ts"
import { announceTitle } from "../titles/change-title.ts"

/** Makes the change that `argument` describes; returns what people are shown. It may throw a ControlError. */
type Change = (parts: FireParts, argument: string) => string | Promise<string>

const LEVELS = [...Effort.literals, "auto"].join(", ")

const isEffort = Schema.is(Effort)

const model: Change = async (parts, name) => {
  const after = await switchModel(parts, name === "default" ? null : name, undefined, "command")
  await after()
  return `The model of this session is now ${modelOf(parts.core.record.options)}.`
}

const effort: Change = ({ core }, level) => {
  if (level !== "auto" && !isEffort(level))
    throw new ControlError(`The effort ${JSON.stringify(level.slice(0, 100))} is unknown. It is one of: ${LEVELS}.`)
  permitted(core.changes.setOptions({ effort: level === "auto" ? undefined : level }))
  return `The effort of this session is now ${level}.`
}

const rename: Change = ({ core }, given) => {
  const title = keptTitle(given)
  permitted(core.changes.patch({ title }))
  announceTitle(core, title)
  return `The session is now called ${title}.`
}

/** A setting: how it is changed, and its value for a call without an argument. */
interface Setting {
  readonly change: Change
  readonly current: (core: SessionCore) => string
}

const SETTINGS: Readonly<Record<(typeof SETTING_COMMANDS)[number]["name"], Setting>> = {
  model: { change: model, current: ({ record }) => modelOf(record.options) },
  effort: { change: effort, current: ({ record }) => record.options.effort ?? "auto" },
  rename: { change: rename, current: ({ record }) => record.title ?? "none" },
}

export const settingCommands = (core: SessionCore): ReadonlyArray<Command> =>
  SETTING_COMMANDS.map((command) => settingCommand(core, command, SETTINGS[command.name]))

const settingCommand = (
  core: SessionCore,
  command: (typeof SETTING_COMMANDS)[number],
  { change, current }: Setting,
): Command => ({
  ...command,
  source: "builtin",
  body: {
    kind: "change",
    make: (argument) => {
      const head = core.inbox.head()
      const ticket = head === undefined ? undefined : core.prompts.queued(head).actor?.ticket
      const { name, argumentHint } = command
      const value = argumentHint.slice(1, -1)
      if (argument === "")
        return Effect.succeed(`The ${value} is ${current(core)}. To change it: /${name} ${argumentHint}`)
      if (ticket !== undefined) return Effect.succeed(`/${name} can't be called with a ticket.`)
      return Effect.flatMap(Hooks, (hooks) =>
        Effect.tryPromise({
          try: async () => change({ core, hooks }, argument),
          catch: (error) => error,
        }).pipe(
          Effect.catch((error) => (error instanceof ControlError ? Effect.succeed(error.message) : Effect.die(error))),
        ),
      )
    },
  },
})
