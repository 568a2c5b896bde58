// The error codes of JSON-RPC and of MCP that Perch sends or recognizes.

export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

/** MCP: there is no such resource. */
export const RESOURCE_NOT_FOUND = -32002

/** MCP: the user must visit pages before the server executes the request. */
export const NEEDS_PAGES = -32042
