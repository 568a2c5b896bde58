import * as sdk from "@modelcontextprotocol/sdk/types.js"
import { expect, it } from "vitest"
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "../../src/mcp/protocol-versions.ts"

it("Perch supports the versions of MCP that the SDK supports", () => {
  expect(SUPPORTED_PROTOCOL_VERSIONS).toEqual(sdk.SUPPORTED_PROTOCOL_VERSIONS)
  expect(LATEST_PROTOCOL_VERSION).toBe(sdk.LATEST_PROTOCOL_VERSION)
})
