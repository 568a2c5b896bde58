// An app that has nothing of Perch but its package: runs a turn, decodes every message of its live stream, and prints what
// it found as JSON.
import { perchClient } from "perch/client/api"
import {
  decodeHookOutput,
  decodeSdkMessage,
  effectToZod,
  isAssistantMessage,
  isResultSuccess,
  isTextBlock,
  toolSchemas,
} from "perch/schemas/sdk"
import { Result } from "effect"

const { PERCH_URL, PERCH_KEY, PROMPT } = process.env
const client = perchClient({ url: PERCH_URL!, apiKey: PERCH_KEY! })

const members: Array<string> = []
const texts: Array<string> = []
let result: string | undefined

const session = await client.createSession({ options: { permissionMode: "acceptEdits", includePartialMessages: true } })
for await (const streamed of session.stream(PROMPT!)) {
  const { member, message } = Result.getOrThrow(decodeSdkMessage(streamed))
  members.push(member)
  if (isAssistantMessage(message)) texts.push(...message.message.content.filter(isTextBlock).map(({ text }) => text))
  if (isResultSuccess(message)) result = message.result
}

const write = effectToZod(toolSchemas["Write"]!.input)
const input = { file_path: "/workspace/a.txt", content: "one" }
const refused = decodeSdkMessage({ type: "result", subtype: "success" })

console.log(
  JSON.stringify({
    members,
    texts,
    result,
    file: await session.files.readText("/workspace/a.txt"),
    accepted: [write.safeParse(input).success, write.safeParse({ file_path: 1 }).success],
    hook: Result.isSuccess(decodeHookOutput({ continue: false })),
    refused: Result.isFailure(refused) ? refused.failure.message : null,
  }),
)
