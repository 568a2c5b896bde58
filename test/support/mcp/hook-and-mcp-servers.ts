// A server for HTTP hooks and an MCP server, for the tests of one file: both run until its last test has ended.
import { afterAll, beforeAll } from "vitest"
import { type HookServer, startHookServer } from "../server/hook-server.ts"
import { startMcpServer, type TestMcpServer } from "../server/mcp-server.ts"

/** Call it once, at the top of the file. */
export const hookAndMcpServers = () => {
  let hooks: HookServer
  let mcp: TestMcpServer
  beforeAll(async () => {
    hooks = await startHookServer()
    mcp = await startMcpServer()
  })
  afterAll(async () => {
    await hooks.close()
    await mcp.close()
  })
  return {
    get hooks() {
      return hooks
    },
    get mcp() {
      return mcp
    },
  }
}
