import * as sdk from "@modelcontextprotocol/sdk/types.js"
import { expect, it } from "vitest"
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "../../src/mcp/protocol-versions.ts"

it("Perch speaks the versions of MCP that the SDK speaks", () => {
  expect(SUPPORTED_PROTOCOL_VERSIONS).toEqual(sdk.SUPPORTED_PROTOCOL_VERSIONS)
  expect(LATEST_PROTOCOL_VERSION).toBe(sdk.LATEST_PROTOCOL_VERSION)
})
