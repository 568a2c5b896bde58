// ExitPlanMode: a plan in; the user is asked to accept it, and with their leave the session works in its former mode.
// Invariant: outside plan mode there is nothing to leave, and the user is not asked.
import { Effect, Schema } from "effect"
import { optional, Page } from "../schemas/sdk/tool-fields.ts"
import { ExitPlanModeInput } from "../schemas/sdk/tool-inputs-agents.ts"
import type { ExitPlanModeOutput } from "../schemas/sdk/tool-outputs-agents.ts"
import { makeTool } from "./make-tool.ts"
import { ToolError } from "./tool.ts"

/** The SDK leaves its input open; `plan` is where its hosts look for the plan. */
const PlanInput = Schema.Struct({
  plan: optional(Page, "The whole plan, in Markdown, as the user is to read it."),
  allowedPrompts: ExitPlanModeInput.schema.fields.allowedPrompts,
})

export const exitPlanModeTool = makeTool(PlanInput, {
  name: "ExitPlanMode",
  description:
    "Hands the finished plan to the user and asks to begin. Call it in plan mode only, with the whole plan; when the user " +
    "does not accept it, change the plan and call it again.",
  question: { kind: "plan", shown: (input) => input },
  readOnly: () => false,
  edits: () => false,
  outside: () => false,
  destructive: false,
  idempotent: true,
  paths: () => [],
  validate: (_, { planning }) =>
    planning.on
      ? Effect.void
      : Effect.fail(
          new ToolError({
            reason: "invalid_arguments",
            message: "Plan mode is not on. Call EnterPlanMode first, or go on with the work if the plan was accepted.",
          }),
        ),
  run: ({ plan }, { planning }) =>
    Effect.sync(() => {
      const edited = plan !== undefined && plan !== planning.proposed
      const output: ExitPlanModeOutput = {
        plan: plan ?? null,
        isAgent: false,
        ...(edited ? { planWasEdited: true } : {}),
      }
      const content =
        plan === undefined
          ? "The user agrees that plan mode ends. Go on with the work."
          : `The user ${edited ? "changed the plan and accepted it" : "accepted the plan"}. Go on with the work.\n\nThe plan:\n${plan}`
      return { content, output, mode: planning.next() }
    }),
})
