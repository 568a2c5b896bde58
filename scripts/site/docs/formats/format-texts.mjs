// The event formats: their clients, their routes, and the meaning of each kind of frame.
import { LOG_FRAMES } from "./log-frames.mjs"
import { SDK_FRAMES } from "./sdk-frames.mjs"
import { AG_UI_FRAMES, PARTS_FRAMES, REPLY_FRAMES, RUN_FRAMES } from "./view-frames.mjs"

const stream = (format) => `\`GET /v1/sessions/{id}/events/stream?format=${format}\``

const SIGNAL_FRAMES = Object.fromEntries(
  Object.entries(LOG_FRAMES).map(([name, text]) => [name.replace("/", ":"), text]),
)

export const FORMATS = [
  {
    slug: "sdk",
    golden: "sdk",
    title: "format=sdk: the SDK's messages",
    reader: "Apps that know the messages of the Claude Agent SDK",
    route: "Streams of `POST /v1/query`, and of a session without `format`",
    kinds: SDK_FRAMES,
    intro: `The default of every stream. Each frame is an SDKMessage as the Claude Agent SDK types it, on one \`data:\` line; \`id:\` is its place in
the log. Frames that wait for an answer have an event name (\`ask\`, \`ask_settled\`): [streams](streams.md#asks-in-the-stream).
With \`includePartialMessages\` the API's stream events come between them, without an id.`,
  },
  {
    slug: "client",
    golden: "client",
    title: "format=client: the official browser SDK",
    reader: "The browser SDK of the Claude Agent SDK, unmodified",
    route: stream("client"),
    kinds: SDK_FRAMES,
    intro: `Each message is the \`payload\` of a \`client_event\`. Control frames, such as a permission question, travel in the same envelope without a
number: they are live and never replayed. [Browser app](browser.md) shows how a page connects.`,
  },
  {
    slug: "signal",
    golden: "signal",
    title: "format=signal: the log as signals",
    reader: "Workflows, monitors, and anything that follows every event",
    route: stream("signal"),
    kinds: SIGNAL_FRAMES,
    intro: `Every event of the log as \`{id, name, payload, timestamp, source?}\`. \`name=\` chooses among them by a pattern:
[streams](streams.md#events-as-signals). [Signals](signals.md) are the same shape inside a program.`,
  },
  {
    slug: "parts",
    golden: "parts",
    title: "format=parts: opencode's events",
    reader: "Clients of opencode, and the console of Perch",
    route: stream("parts"),
    kinds: PARTS_FRAMES,
    intro: `The events of opencode's bus. Messages and parts are whole each time, so that a frame that comes twice changes nothing; while an answer
streams, \`message.part.delta\` has its pieces. Of several frames that one event of the log makes, the last has the \`id:\`. See
[streams](streams.md#opencodes-events) and [messages as parts](parts.md).`,
  },
  {
    slug: "agent-events",
    golden: "agent-events",
    title: "format=agent-events: a run's events",
    reader: "Chat channels that show what a run does",
    route: stream("agent-events"),
    kinds: RUN_FRAMES,
    intro: `The events of a run in streams (\`lifecycle\`, \`assistant\`, \`thinking\`, \`tool\`, \`compaction\`, \`error\`), numbered by \`seq\` within the run. See
[channels](channels.md#events-of-formatagent-events).`,
  },
  {
    slug: "reply",
    golden: "reply",
    title: "format=reply: replies for a chat channel",
    reader: "Chat channels that send blocks of text",
    route: stream("reply"),
    kinds: REPLY_FRAMES,
    intro: `Replies cut into blocks that a channel can send, with directives of the model's text as fields. [Channels](channels.md) has the settings.`,
  },
  {
    slug: "ag-ui",
    golden: "ag-ui",
    title: "format=ag-ui: AG-UI's events",
    reader: "AG-UI clients, such as CopilotKit's",
    route: `\`POST /v1/ag-ui\`, and ${stream("ag-ui")}`,
    kinds: AG_UI_FRAMES,
    intro: `The vocabulary of AG-UI 1.0. [AG-UI clients](ag-ui.md) describes how a run relates to a turn.`,
  },
  {
    slug: "log",
    golden: "session",
    title: "Log events",
    reader: "Programs that need Perch's own facts with their places",
    route: "`GET /v1/sessions/{id}/events`",
    kinds: LOG_FRAMES,
    intro: `The log itself, as \`GET …/events\` pages it: \`seq\` is the place, \`uuid\` the id, \`turn\` the prompt that the event belongs to, \`at\` milliseconds
since 1970. Every other format is made from these events. [Architecture](architecture.md) says how the log is kept.`,
  },
]
