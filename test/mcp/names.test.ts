// Names of MCP tools that two servers claim: which server keeps them.
import { expect, it } from "vitest"
import { contested, toolName } from "../../src/mcp/names.ts"

/** The names of the tools that are left out, when servers list these tools. */
const left = (
  tools: ReadonlyArray<readonly [server: string, tool: string]>,
  servers = tools.map(([server]) => server),
) =>
  [
    ...contested(
      tools.map(([server, tool]) => ({ name: toolName(server, tool), mcpServer: { name: server }, tool })),
      servers,
    ),
  ].map(({ mcpServer, tool }) => [mcpServer.name, tool])

it("a name that begins with a longer server's name belongs to that server, whether it has such a tool or not", () => {
  expect(
    left([
      ["a", "b__t"],
      ["a", "t"],
      ["a__b", "t"],
    ]),
  ).toEqual([["a", "b__t"]])
  expect(
    left([
      ["a__b", "t"],
      ["a", "b__x"],
    ]),
  ).toEqual([["a", "b__x"]])
  // The other server is not connected.
  expect(left([["a", "b__x"]], ["a", "a__b"])).toEqual([["a", "b__x"]])
})

it("of servers whose names differ only in characters that tool names lack, the first keeps a name", () => {
  expect(
    left([
      ["my server", "t"],
      ["my_server", "t"],
      ["my_server", "u"],
    ]),
  ).toEqual([["my_server", "t"]])
})

it("names with `__` that no other server claims are kept", () => {
  expect(
    left([
      ["a", "b__t"],
      ["ab", "t"],
      ["b", "t"],
    ]),
  ).toEqual([])
})
