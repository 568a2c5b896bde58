// Receives a client's frame and its sender; returns why the frame is refused, or undefined.
// Invariant: a control request that is not in the table is accepted from API keys only, so that a new one is closed to
// tickets.
import { type Actor, type TicketRole } from "../../schemas/access.ts"
import type { ClientRequests } from "../../schemas/sdk/control/control-requests.ts"

/** The role that each control request of a client needs. `mcp_message` goes both ways, so `ClientRequests` does not have it. */
export const ROLE_OF_REQUEST: Readonly<Record<keyof typeof ClientRequests | "mcp_message", TicketRole>> = {
  // Every client starts with it; `initializeBrings` checks its fields.
  initialize: "observe",
  mcp_status: "observe",
  get_context_usage: "observe",
  get_session_cost: "observe",
  get_usage: "observe",
  get_binary_version: "observe",
  get_settings: "observe",
  get_hooks_listing: "observe",
  get_task_output: "observe",
  list_models: "observe",
  list_permission_rules: "observe",
  set_has_subscribers: "observe",
  interrupt: "prompt",
  end_session: "prompt",
  generate_session_title: "control",
  cancel_async_message: "prompt",
  stop_task: "prompt",
  background_tasks: "prompt",
  read_file: "prompt",
  file_suggestions: "prompt",
  set_permission_mode: "control",
  set_model: "control",
  set_max_thinking_tokens: "control",
  rename_session: "control",
  set_color: "control",
  apply_flag_settings: "control",
  update_settings: "control",
  rewind_files: "control",
  seed_read_state: "control",
  register_repo_root: "control",
  reload_plugins: "control",
  reload_skills: "control",
  reload_output_styles: "control",
  mcp_call: "control",
  mcp_read_resource: "control",
  mcp_set_servers: "control",
  mcp_reconnect: "control",
  mcp_toggle: "control",
  set_mcp_permission_mode_override: "control",
  mcp_message: "control",
}

/** Requests about the workspace: the key, or the key that made the ticket, must have the scope `files`. */
const OF_FILES: ReadonlySet<string> = new Set(["read_file", "file_suggestions", "rewind_files"])

/** Why a client may not send this control request. Without an actor it may send all. */
export const requestRefusal = (
  request: Readonly<Record<string, unknown>>,
  by: Actor | undefined,
): string | undefined => {
  if (by === undefined) return undefined
  const subtype = request["subtype"]
  // Refused later, as malformed. It must not be converted to a string here.
  if (typeof subtype !== "string") return undefined
  const role = Object.hasOwn(ROLE_OF_REQUEST, subtype)
    ? ROLE_OF_REQUEST[subtype as keyof typeof ROLE_OF_REQUEST] // it is one of its keys
    : undefined
  // For a key the request is unknown; for a ticket it is forbidden.
  if (role === undefined) return by.ticket === undefined ? undefined : notFor(subtype, "control", by)
  if (!by.roles.includes(role)) return notFor(subtype, role, by)
  if (OF_FILES.has(subtype) && !by.files) return `the request "${subtype}" needs an API key with the scope files`
  if (subtype !== "initialize" || by.roles.includes("control")) return undefined
  const field = initializeBrings(request)
  return field === undefined ? undefined : notFor(`initialize with ${field}`, "control", by)
}

/** Why a client may not send a user message or an answer; undefined when it may. */
export const roleRefusal = (what: string, role: TicketRole, by: Actor | undefined): string | undefined =>
  by === undefined || by.roles.includes(role) ? undefined : notFor(what, role, by)

const notFor = (what: string, role: TicketRole, { ticket }: Actor): string =>
  ticket === undefined
    ? `${what.slice(0, 200)}: the API key lacks the scope for the role ${role}`
    : `${what.slice(0, 200)}: the ticket lacks the role ${role}`

/** The first field by which an `initialize` would change something. Official clients send most fields empty. */
const initializeBrings = ({ subtype: _, ...fields }: Readonly<Record<string, unknown>>): string | undefined =>
  Object.keys(fields).find((name) => !isEmpty(fields[name]))

const isEmpty = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === "") return true
  return typeof value === "object" && Object.values(value).every(isEmpty)
}
