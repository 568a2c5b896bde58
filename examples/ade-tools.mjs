// A tool of your own instead of a language server: the server `ade-tools` lives in this process, its tool `lsp` looks into the
// files of this folder, and the model that calls it is on the server. Put your language server's answers in its place.
//   PERCH_URL=http://127.0.0.1:8787 PERCH_KEY=… node examples/ade-tools.mjs "Where is run defined?" [FOLDER]
import fs from "node:fs"
import path from "node:path"
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk"
import { perch } from "perch/client"
import { z } from "zod"

const [prompt = "Which symbols does examples/node-sdk.mjs define?", folder = process.cwd()] = process.argv.slice(2)

const SOURCE = /\.(?:[cm]?[jt]sx?)$/
const DEFINITION = /\b(?:const|let|var|function|class|interface|type|enum)\s+([A-Za-z_$][\w$]*)/g
const WORD = /[A-Za-z_$][\w$]*/g

/** The lines of every source file below the folder, by relative path. */
const sources = () =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => SOURCE.test(name) && !name.includes("node_modules"))
    .map((name) => ({ file: name, lines: fs.readFileSync(path.join(folder, name), "utf8").split("\n") }))

/** Every match in a file, with its position. Lines and characters are counted from 0, as in the Language Server Protocol. */
const places = ({ file, lines }, pattern) =>
  lines.flatMap((text, line) =>
    [...text.matchAll(pattern)].map((match) => {
      const name = match[1] ?? match[0]
      return { name, file, line, character: match.index + match[0].lastIndexOf(name), text: text.trim() }
    }),
  )

const lsp = tool(
  "lsp",
  "Language server operations on the source files: definition, references and hover of what is at a place, symbols of a file",
  {
    operation: z.enum(["definition", "references", "hover", "symbols"]),
    file: z.string().describe("Path of the file in the folder"),
    line: z.number().int().min(0).describe("Line, from 0"),
    character: z.number().int().min(0).describe("Character in the line, from 0"),
  },
  async ({ operation, file, line, character }) => {
    const files = sources()
    const asked = files.find((one) => one.file === path.normalize(file))
    if (asked === undefined)
      return { content: [{ type: "text", text: `There is no source file ${file}.` }], isError: true }
    const isAt = (place) =>
      place.line === line && place.character <= character && character <= place.character + place.name.length
    const word = places(asked, WORD).find(isAt)?.name
    const definitions = files.flatMap((one) => places(one, DEFINITION)).filter(({ name }) => name === word)
    const answers = {
      symbols: () => places(asked, DEFINITION),
      definition: () => definitions,
      references: () => files.flatMap((one) => places(one, WORD)).filter(({ name }) => name === word),
      hover: () => definitions.map(({ text }) => text),
    }
    return { content: [{ type: "text", text: JSON.stringify(answers[operation]()) }] }
  },
)

const options = {
  ...perch({ url: process.env.PERCH_URL ?? "http://127.0.0.1:8787", apiKey: process.env.PERCH_KEY ?? "" }),
  mcpServers: { "ade-tools": createSdkMcpServer({ name: "ade-tools", version: "1.0.0", tools: [lsp] }) },
  allowedTools: ["mcp__ade-tools__lsp"],
}

for await (const message of query({ prompt, options })) {
  if (message.type === "system" && message.subtype === "init") {
    console.log("tools:", message.tools.filter((name) => name.startsWith("mcp__ade-tools__")).join(" "))
  }
  if (message.type === "user" && Array.isArray(message.message.content)) {
    for (const block of message.message.content) {
      if (block.type === "tool_result") console.log("lsp:", JSON.stringify(block.content))
    }
  }
  if (message.type === "result")
    console.log("result:", message.subtype === "success" ? message.result : message.subtype)
}
