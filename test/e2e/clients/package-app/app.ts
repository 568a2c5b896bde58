// An app that uses only Perch's package: runs a turn, decodes every message of its live stream, and prints what it found as
// JSON.
import { perchClient } from "perch/client/api"
import { type EmbeddedRunParams, type EmbeddedRunResult, runEmbeddedAgent } from "perch/interop"
import {
  decodeHookOutput,
  decodeSdkMessage,
  effectToZod,
  isAssistantMessage,
  isResultSuccess,
  isTextBlock,
  toolSchemas,
} from "perch/schemas/sdk"
import {
  ClaudeHarness,
  createWorkflow,
  defineHandler,
  defineSignal,
  OfflineHarness,
  OpenAIHarness,
  type WorkflowState,
} from "perch/signals"
import { Effect, Ref, Result, Schema, Stream } from "effect"

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

const Greeted = defineSignal("greeted", { text: Schema.String })
const greeting = createWorkflow({
  name: "greeting",
  initialState: { greeted: "" },
  handlers: [
    defineHandler(Greeted, (signal, state: WorkflowState<{ greeted: string }>) =>
      Effect.as(Ref.set(state, { greeted: signal.payload.text }), []),
    ),
  ],
  agents: [{ name: "greeter", activatesOn: ["workflow:start"], prompt: () => "Greet.", emits: [Greeted] }],
  until: ({ greeted }) => greeted !== "",
})
const harness = { complete: () => Effect.succeed("Hello."), stream: () => Stream.make("Hel", "lo.") }
const greeted = await greeting.run({ harness })
const offline = await greeting.run({ harness: OfflineHarness() })
const withoutKeys = [ClaudeHarness({ model: "sonnet" }), OpenAIHarness({ model: "gpt-5" })]
const refusals = withoutKeys.map((keyless) => greeting.run({ harness: keyless }).catch((error) => error.message))

const shown: Array<string | undefined> = []
const params: EmbeddedRunParams = {
  perch: { url: PERCH_URL!, apiKey: PERCH_KEY! },
  sessionId: `app:${crypto.randomUUID()}`,
  runId: crypto.randomUUID(),
  prompt: "Say hello",
  timeoutMs: 60_000,
  runtime: "offline",
  onBlockReply: ({ text }) => void shown.push(text),
}
const run: EmbeddedRunResult = await runEmbeddedAgent(params)

console.log(
  JSON.stringify({
    run: [run.meta.stopReason, run.payloads?.map(({ text }) => text)],
    shown,
    greeted: greeted.state.greeted,
    offline: offline.state.greeted,
    refusals: await Promise.all(refusals),
    members,
    texts,
    result,
    file: await session.files.readText("/workspace/a.txt"),
    accepted: [write.safeParse(input).success, write.safeParse({ file_path: 1 }).success],
    hook: Result.isSuccess(decodeHookOutput({ continue: false })),
    refused: Result.isFailure(refused) ? refused.failure.message : null,
  }),
)
