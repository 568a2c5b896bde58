// The control requests that the server sends: permission questions, hook callbacks, elicitations, dialogs; `mcp_message` goes
// both ways.
// Invariant: each is answered by the client with a `control_response`, or withdrawn with a `control_cancel_request`.
import * as Schema from "effect/Schema"
import { HOOK_EVENTS, HookInputs, type HookEvent } from "../hooks/hooks.ts"
import { JsonRpcMessage, McpServerProvenance } from "../options/mcp-config.ts"
import { AnyRecord, kept, open } from "../open.ts"
import { PermissionUpdate } from "../options/permissions.ts"

const opt = Schema.optionalKey

/** A request with its subtype. */
export const request = <const Subtype extends string, const Fields extends Schema.Struct.Fields>(
  subtype: Subtype,
  fields: Fields,
) => open({ subtype: Schema.Literal(subtype), ...fields })

const hookCallback = <Input extends Schema.Top>(input: Input) =>
  request("hook_callback", { callback_id: Schema.String, input, tool_use_id: opt(Schema.String) })

/** `hook_callback` of one event. */
export const hookCallbackOf = (event: HookEvent) => hookCallback(HookInputs[event])

/** Requests of the server, by subtype. */
export const ControlAsks = {
  can_use_tool: request("can_use_tool", {
    tool_name: Schema.String,
    mcp_server: opt(McpServerProvenance),
    input: AnyRecord,
    permission_suggestions: opt(Schema.Array(kept(PermissionUpdate))),
    blocked_path: opt(Schema.String),
    decision_reason: opt(Schema.String),
    decision_reason_type: opt(
      Schema.Literals([
        "rule",
        "mode",
        "subcommandResults",
        "permissionPromptTool",
        "hook",
        "asyncAgent",
        "sandboxOverride",
        "workingDir",
        "safetyCheck",
        "classifier",
        "other",
      ]),
    ),
    classifier_approvable: opt(Schema.Boolean),
    suppress_always_allow_rule: opt(Schema.Boolean),
    default_to_no: opt(Schema.Boolean),
    matched_ask_rule: opt(open({ source: Schema.String, tool_name: Schema.String, rule_content: opt(Schema.String) })),
    title: opt(Schema.String),
    display_name: opt(Schema.String),
    tool_use_id: Schema.String,
    agent_id: opt(Schema.String),
    description: opt(Schema.String),
    requires_user_interaction: opt(Schema.Boolean),
  }),
  hook_callback: hookCallback(Schema.Union(HOOK_EVENTS.map((event) => HookInputs[event]))),
  elicitation: request("elicitation", {
    mcp_server_name: Schema.String,
    message: Schema.String,
    mode: opt(Schema.Literals(["form", "url"])),
    url: opt(Schema.String),
    elicitation_id: opt(Schema.String),
    requested_schema: opt(AnyRecord),
    property_order: opt(Schema.Array(Schema.String)),
    title: opt(Schema.String),
    display_name: opt(Schema.String),
    description: opt(Schema.String),
  }),
  request_user_dialog: request("request_user_dialog", {
    dialog_kind: Schema.String,
    payload: AnyRecord,
    tool_use_id: opt(Schema.String),
  }),
  mcp_message: request("mcp_message", { server_name: Schema.String, message: JsonRpcMessage }),
}
