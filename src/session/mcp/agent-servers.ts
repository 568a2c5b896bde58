// The MCP servers in a subagent's definition. Receives an agent and the names of its servers; returns their tools once they
// are connected.
// Invariant: they are connected for one run of the agent, and no other agent has their tools. Their configurations are read
// from the options of the run, never from the log. A server that can't be connected is reported, and the agent runs without
// it.
import * as Effect from "effect/Effect"
import type { AgentServers, OwnServers } from "../../agent/turn-parts.ts"
import { policyRules } from "../../mcp/mcp-tool.ts"
import { type RemoteConfig, remoteServersOf } from "../../mcp/remote/remote-config.ts"
import { entriesIn, ownServersOf } from "../../schemas/sdk/options/agent-servers.ts"
import { MASK } from "../../schemas/sdk/options/masked-options.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { SessionCore } from "../core.ts"

/** `options` returns the options of the run. */
export const agentServers = (
  { capture, remoteMcp }: Pick<SessionCore, "capture" | "remoteMcp">,
  options: () => SessionOptions,
): AgentServers => ({
  connect: (agent, names) =>
    Effect.promise(async (signal): Promise<OwnServers> => {
      const definition = options().agents?.[agent]
      const { servers } = remoteServersOf(definition === undefined ? {} : entriesIn(ownServersOf(definition)), "agent")
      // When a recording answers for the servers, masked secrets don't matter.
      const known = [...servers].filter(([, config]) => capture?.sends === false || !isMasked(config))
      const connecting = known.map(([name, config]) => remoteMcp.serverOfItsOwn(name, config))
      const close = () => connecting.forEach((server) => server.close())
      signal.addEventListener("abort", close)
      await Promise.all(connecting.map((server) => server.prepare()))
      const rules = known.map(([name, { tools }]) => policyRules(name, tools))
      const failed = connecting.flatMap(({ name, failure }) =>
        failure === null ? [] : [{ name, error: failure.message }],
      )
      const gone = names.filter((name) => !known.some(([other]) => other === name))
      return {
        names,
        tools: connecting.flatMap(({ tools }) => tools),
        allow: rules.flatMap(({ allow }) => allow),
        ask: rules.flatMap(({ ask }) => ask),
        failed: [...failed, ...gone.map((name) => ({ name, error: GONE }))],
        close,
      }
    }),
})

const GONE = "Its configuration was an option of a turn that has ended. Set it as an option of the session."

/** True for a configuration from the log, in which secrets are masked. */
const isMasked = ({ url, headers }: RemoteConfig): boolean =>
  url.endsWith(`?${MASK}`) || url.endsWith(`#${MASK}`) || Object.values(headers).includes(MASK)
