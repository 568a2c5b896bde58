// ExitPlanMode: takes no input; the plan is the content of the session's plan file. The user is asked to accept it; once
// accepted, the session returns to its former mode.
// Invariant: outside of plan mode the call fails and the user is not asked; the accepted plan is in the file.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { optional, Page } from "../../schemas/sdk/tools/tool-fields.ts"
import { ExitPlanModeInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { ExitPlanModeOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { onWorkspace } from "../files/file-access.ts"
import { NO_FILES, makeTool } from "../make-tool.ts"
import { ToolError } from "../tool.ts"

const { allowedPrompts } = ExitPlanModeInput.schema.fields

/** Further fields, which the SDK's input allows: hooks and users read the plan and its path in them, and may replace the plan. */
const Plan = Schema.Struct({
  plan: optional(Page, "The whole plan, in Markdown."),
  planFilePath: optional(Page, "The path of the plan's file."),
})

type PlanInput = { readonly allowedPrompts?: ExitPlanModeInput["allowedPrompts"] } & typeof Plan.Type

/** A longer plan counts as missing, since no user would read it. */
const MAX_PLAN_BYTES = 1_000_000

const encoder = new TextEncoder()

export const exitPlanModeTool = makeTool<PlanInput>(Schema.Struct({ allowedPrompts }), {
  name: "ExitPlanMode",
  description:
    "Asks the user to accept the plan in the session's plan file so that the work can start. Call it in plan mode only, " +
    "when the file contains the whole plan; if the user does not accept it, change the plan and call it again.",
  userParameters: Plan,
  question: {
    kind: "plan",
    shown: (input) => input,
    // A plan in the call itself is not the accepted plan, but a person who is asked should see it.
    read: (input, sent) =>
      input.plan === undefined && typeof sent["plan"] === "string" ? { ...input, plan: sent["plan"] } : input,
  },
  enrich: {
    add: ({ plan: _, planFilePath: __, ...input }, { workspace, planning }) => {
      const plan = textAt(workspace, planning.file)
      return plan === null ? input : { ...input, plan, planFilePath: planning.file }
    },
    strip: ({ plan, planFilePath: _, ...input }, { workspace, planning }) =>
      plan === undefined || plan === textAt(workspace, planning.file) ? input : { ...input, plan },
  },
  readOnly: () => false,
  // As the official SDK: such a call runs together with other safe calls.
  concurrent: () => true,
  ...NO_FILES,
  validate: (_, { planning }) =>
    planning.on
      ? Effect.void
      : Effect.fail(
          new ToolError({
            reason: "invalid_arguments",
            message:
              "Plan mode is not on. Call EnterPlanMode first, or continue with the work if the plan was accepted.",
          }),
        ),
  run: ({ plan: given }, context) =>
    onWorkspace(context, (workspace) => {
      const { planning } = context
      const plan = given ?? textAt(workspace, planning.file)
      const edited = given !== undefined && given !== planning.proposed
      const output: ExitPlanModeOutput = {
        plan,
        isAgent: false,
        filePath: planning.file,
        ...(edited ? { planWasEdited: true } : {}),
      }
      const content = asText(output)
      const mode = planning.next()
      if (given === undefined) return { content, output, mode }
      const { change } = workspace.prepareWrite(planning.file, encoder.encode(given))
      if (change[0] !== planning.file) {
        const message = `${planning.file} is a link or is in a linked directory. Remove the link: the plan must be in a regular file.`
        throw new ToolError({ reason: "command_failed", message })
      }
      return { content, output, mode, commit: () => workspace.apply([change]) }
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

const isOutput = Schema.is(ExitPlanModeOutput)

const asText = ({ plan, filePath, planWasEdited }: ExitPlanModeOutput): string => {
  if (plan === null) return "The user agrees to leave plan mode. Continue with the work."
  const accepted = planWasEdited === true ? "changed the plan and accepted it" : "accepted the plan"
  const place = filePath === undefined ? "" : `; it is in ${filePath}`
  return `The user ${accepted}${place}. Continue with the work.\n\nThe plan:\n${plan}`
}

const textAt = (workspace: Workspace, path: string): string | null => {
  const plan = workspace.readOwn(path)
  return plan === null || plan.length > MAX_PLAN_BYTES ? null : plan
}
