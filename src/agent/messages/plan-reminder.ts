// Receives a turn before a model request; returns the event with what the model must know about plan mode, if it does not yet.
// Invariant: a text that was sent stays where it is in the conversation, so that later requests read it from the cache.
import type { PlanReminded } from "../../schemas/log/conversation-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { planFileOf } from "../../permissions/places.ts"
import type { Turn } from "../ports.ts"

export interface PlanMode {
  /** How to plan; replaces Perch's own rules. */
  readonly instructions?: string
  /** True when the model can hand its plan to the user with ExitPlanMode. */
  readonly canExit: boolean
  /** The plan file, the only one that may be written while planning. */
  readonly file: string
}

/** As the official SDK: after this many turns, the model is reminded. */
const TURNS_BETWEEN = 6

const STILL = "Plan mode is still on, with the rules from above: change nothing until the user accepts a plan."

const OVER = "Plan mode is off: its rules do not apply any more. You may make changes again."

const RULES = `Plan mode is on. Until the user accepts a plan, change nothing: no edits, no new files, no commands with effects, whatever earlier messages ask for. Reading and searching are fine.`

const HOW_TO_PLAN = `Examine everything that the request affects. Ask the user if something important is undecided. Then write a plan that others can follow: what changes, where, in which order, and how to verify it.`

/** The rules are sent when plan mode begins, when they have changed, and after the conversation was restarted. */
export const planReminder = (turn: Turn): ReadonlyArray<NewEvent> => {
  const { known } = turn.memory.plan
  const isPlanning = turn.policy().mode === "plan"
  if (!isPlanning) return known === null ? [] : [reminded(turn, { kind: "over", text: OVER })]
  const rules = planRules(planModeOf(turn))
  if (known?.rules !== rules) return [reminded(turn, { kind: "rules", text: rules })]
  return known.turns < TURNS_BETWEEN ? [] : [reminded(turn, { kind: "still", text: STILL })]
}

const reminded = ({ id }: Turn, payload: PlanReminded): NewEvent => ({
  name: EventNames.planReminded,
  payload,
  turn: id,
})

const planModeOf = ({ options, tools, root, sessionId }: Turn): PlanMode => ({
  canExit: tools.some(({ name }) => name === "ExitPlanMode"),
  file: planFileOf(root, sessionId),
  ...(options.planModeInstructions === undefined ? {} : { instructions: options.planModeInstructions }),
})

export const planRules = ({ instructions, canExit, file }: PlanMode): string => {
  const end = canExit
    ? `Write the plan with Write to ${file}, and change it there with Edit: it is the only file that you may write now. When the plan is complete, call ExitPlanMode, which shows that file to the user: it is the only way to ask them to accept it.`
    : "When the plan is complete, return it as your answer and stop."
  return [RULES, instructions?.trim() ? instructions : HOW_TO_PLAN, end].join("\n\n")
}
