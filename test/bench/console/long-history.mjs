// A conversation with a given number of messages for a session to start with: prompts, Markdown answers with code, calls and
// results.

const answer = (n) => `Step ${n}: the **parser** reads \`src/part-${n}.ts\`.

- first point of ${n}
- second point, with a [link](https://example.com/${n})

\`\`\`ts
export const part${n} = (input: string): number => input.length + ${n}
\`\`\`
`

const user = (content) => ({
  type: "user",
  uuid: crypto.randomUUID(),
  session_id: "",
  parent_tool_use_id: null,
  message: { role: "user", content },
})

const assistant = (content, n) => ({
  type: "assistant",
  uuid: crypto.randomUUID(),
  session_id: "",
  parent_tool_use_id: null,
  message: {
    id: `msg_${n}`,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content,
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  },
})

const round = (n) => {
  const id = `toolu_${n}`
  return [
    user(`Please look at part ${n}.`),
    assistant(
      [
        { type: "text", text: answer(n) },
        { type: "tool_use", id, name: "Bash", input: { command: `grep -n part${n} src/*.ts`, description: "Search" } },
      ],
      `${n}a`,
    ),
    user([{ type: "tool_result", tool_use_id: id, content: `src/part-${n}.ts:1:export const part${n}\n`.repeat(8) }]),
    assistant([{ type: "text", text: `Part ${n} is fine.` }], `${n}b`),
  ]
}

/** SDK messages for `history`; the last says "The last answer.". */
export const longHistory = (count) => [
  ...Array.from({ length: Math.floor(count / 4) }, (_, n) => round(n)).flat(),
  user("And the end?"),
  assistant([{ type: "text", text: "The last answer." }], "last"),
]
