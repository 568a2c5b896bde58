// EnterPlanMode: takes no input; from the commit on the session is in plan mode, and changes nothing until the user accepts
// a plan.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { EnterPlanModeInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { EnterPlanModeOutput } from "../../schemas/sdk/tools/tool-outputs-agents.ts"
import { INTERNAL, makeTool } from "../make-tool.ts"

const MESSAGE =
  "Plan mode is on: read, think and ask questions, and change nothing yet. Submit the plan to the user with ExitPlanMode."

export const enterPlanModeTool = makeTool(EnterPlanModeInput, {
  name: "EnterPlanMode",
  description:
    "Enters plan mode, in which nothing is changed until the user accepts a plan. Use it before work that is large, " +
    "risky, or possible in several ways.",
  readOnly: () => false,
  // As the official SDK: such a call runs together with other safe calls.
  concurrent: () => true,
  ...INTERNAL,
  run: () => {
    const output: EnterPlanModeOutput = { message: MESSAGE }
    return Effect.succeed({ content: MESSAGE, output, mode: "plan" as const })
  },
  contentOf: (output) => (isOutput(output) ? output.message : null),
})

const isOutput = Schema.is(EnterPlanModeOutput)
