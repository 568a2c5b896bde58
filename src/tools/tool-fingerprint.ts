// Receives a tool of any source; returns the fingerprint of its input schema.
// Invariant: a fingerprint is computed once per schema, since the schemas of MCP and client tools stay the same objects.
import { fingerprintOf } from "../schemas/agent-schema/fingerprint.ts"
import type { Tool } from "./tool.ts"

const known = new WeakMap<object, string>()

/** `agent-schema-v2:sha256:HEX` of the schema that the model is shown, or of the closed schema of Perch's own tools. */
export const toolFingerprint = ({ agentSchema, inputSchema }: Tool): string => {
  if (agentSchema !== undefined) return agentSchema.fingerprint
  const before = known.get(inputSchema)
  if (before !== undefined) return before
  const fingerprint = fingerprintOf(inputSchema)
  known.set(inputSchema, fingerprint)
  return fingerprint
}
