// The MCP server and its authorization server, for the tests of one file: both start and end with each test.
import { afterEach, beforeEach } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { startMcpServer, type TestMcpServer } from "../server/mcp-server.ts"
import { type OAuthServer, startOAuthServer } from "./oauth-server.ts"
import { BYPASS } from "../session/loop.ts"

/** Call it once, at the top of the file. */
export const behindOAuth = () => {
  let server: TestMcpServer
  let oauth: OAuthServer
  beforeEach(async () => {
    server = await startMcpServer()
    oauth = await startOAuthServer()
    oauth.protect(server)
  })
  afterEach(async () => {
    await server.close()
    await oauth.close()
  })
  return {
    get server() {
      return server
    },
    get oauth() {
      return oauth
    },
    /** The options of a session that uses the server as `far`, with this way to authenticate. */
    far: (signIn: object, options: SessionOptions = {}, type: "http" | "sse" = "http"): SessionOptions =>
      ({
        ...BYPASS,
        ...options,
        mcpServers: { far: { type, url: server[type], oauth: signIn } },
      }) as SessionOptions, // `signIn` may be invalid: the tests try it
  }
}
