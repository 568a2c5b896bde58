// Agents that a tenant stores for all of its sessions, as the API receives and returns them.
// Invariant: the fields of a definition are those of `options.agents`.
import * as Schema from "effect/Schema"
import { AGENT_FIELDS, AgentName } from "../sdk/options/agents.ts"

/** `PUT /v1/agents/{name}` */
export const PutAgent = Schema.Struct(AGENT_FIELDS).annotate({ identifier: "PutAgent" })

/** `POST /v1/agents` */
export const CreateAgent = Schema.Struct({ name: AgentName, ...AGENT_FIELDS }).annotate({ identifier: "CreateAgent" })

/** An agent that every session of the tenant can start. Perch's own have no dates. */
export const Agent = Schema.Struct({
  name: Schema.String,
  source: Schema.Literals(["built-in", "stored"]),
  ...AGENT_FIELDS,
  created_at: Schema.NullOr(Schema.String),
  updated_at: Schema.NullOr(Schema.String),
}).annotate({ identifier: "Agent" })
