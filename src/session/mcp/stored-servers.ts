// Receives the MCP servers that a tenant has stored, as a session loaded them; returns them as entries of its options.
// Invariant: where a secret could not be read, requests to the server are sent without it, never with its mask. The same
// values return the same object.
import type { DefinitionsByName } from "../../schemas/definitions.ts"
import { isMaskedOAuth, MASK } from "../../schemas/sdk/options/masked-options.ts"
import type { McpServerEntry } from "../../schemas/sdk/options/mcp-entries.ts"

type Entries = Readonly<Record<string, McpServerEntry>>

const entriesByDefinitions = new WeakMap<DefinitionsByName, Entries>()

export const storedServers = (values: DefinitionsByName): Entries => {
  const known = entriesByDefinitions.get(values)
  if (known !== undefined) return known
  // Can't fail: the route that stores them checks them.
  const entries = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, unmasked(value)])) as Entries
  entriesByDefinitions.set(values, entries)
  return entries
}

const unmasked = ({ url, headers = {}, oauth, ...value }: Readonly<Record<string, unknown>>) => ({
  ...value,
  ...(oauth === undefined || isMaskedOAuth(oauth) ? {} : { oauth }),
  url: String(url).replace(`?${MASK}`, "").replace(`#${MASK}`, ""),
  headers: Object.fromEntries(Object.entries(Object(headers)).filter(([, given]) => given !== MASK)),
})
