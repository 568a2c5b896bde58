// What `perch/schemas/sdk` exports: the Claude Agent SDK's protocol as Effect Schemas, the decoders of its frames, type
// guards, and the adapters between its vocabulary, MCP's, zod's and plain JSON.
// Invariant: its types refer only to effect, zod and the types of the MCP SDK.

// Messages: the contents of a turn's stream and of the log.
export * from "./messages/api-message.ts"
export * from "./messages/content-blocks.ts"
export { ResultMessage } from "./messages/message-unions.ts"
export * from "./messages/message-values.ts"
export * from "./messages/messages-conversation.ts"
export * from "./messages/messages-notice.ts"
export * from "./messages/messages-system.ts"
export * from "./messages/messages-task.ts"
export * from "./messages/messages-wire.ts"
export * from "./messages/messages.ts"
export * from "./messages/result-messages.ts"
export * from "./messages/type-guards.ts"
export * from "./messages/usage-values.ts"
export * from "./messages/usage.ts"
export { ShapeError } from "./shape-error.ts"

// Control frames: the requests and answers between a client and the session over the socket.
export * from "./control/can-use-tool.ts"
export * from "./control/context-report.ts"
export * from "./control/control-responses.ts"
export * from "./control/control.ts"
export * from "./control/mcp-status.ts"
export * from "./control/permission-rules-state.ts"
export * from "./control/usage-report.ts"

// Hooks: the input of each event, and the answers of hooks.
export * from "./hooks/hook-outputs.ts"
export * from "./hooks/hooks.ts"
export * from "./hooks/http-hooks.ts"
export { ExitReason } from "./hooks/turn-hooks.ts"

// Options and permissions.
export * from "./options/agents.ts"
export * from "./options/mcp-config.ts"
export * from "./options/options.ts"
export * from "./options/permissions.ts"

// Tools: the input and output of each, by the name of the tool.
export { ToolErrorReason } from "./tools/tool-error-reason.ts"
export { toolSchemas, type ToolSchemas } from "./tools/tool-schemas.ts"

// Adapters.
export * from "./adapters/effect-to-zod.ts"
export * from "./adapters/json-schema-to-zod.ts"
export * from "./adapters/message-adapter.ts"
export * from "./adapters/plain-results.ts"
export * from "./adapters/result-adapter.ts"
export * from "./adapters/tool-adapter.ts"
