// The menu of a message: copy it, fork the session after it, revert to before it; with facts about it.
import { useSignal } from "@preact/signals"
import { messageOf } from "../app/server.ts"
import { compact, duration, lazily, usd } from "../kit/format.ts"
import { copyText } from "../kit/text/copy-text.ts"
import { Menu, type MenuAction } from "../kit/menu.tsx"
import type { MessageInfo, Part } from "../store/frames.ts"
import { useChat } from "./chat-view.ts"
import { messageDuration } from "./message-facts.ts"
import { messageJson, messageText } from "./message-text.ts"

export const MessageMenu = ({ info }: { readonly info: MessageInfo }) => {
  const chat = useChat()
  const { store } = chat
  const note = useSignal("")
  const parts = (): ReadonlyArray<Part> =>
    store.conversation
      .message(info.id)
      ?.parts.peek()
      .flatMap((id) => store.conversation.part(id)?.peek() ?? []) ?? []
  const tryTo = (doing: () => Promise<unknown>, done: string) => {
    note.value = ""
    doing().then(
      () => (note.value = done),
      (error: unknown) => (note.value = messageOf(error)),
    )
  }
  const actions = (): ReadonlyArray<MenuAction> => {
    const { act } = chat
    const all: Array<MenuAction> = [
      { label: "Copy the text", run: () => tryTo(() => copyText(messageText(parts())), "Copied") },
      {
        label: "Copy as JSON",
        run: () => tryTo(() => copyText(messageJson(info, parts())), "Copied"),
      },
    ]
    if (act === undefined || info.sdk?.parentToolUseId !== undefined) return all
    all.push({ label: "Fork from here", run: () => act("fork", info.id) })
    if (info.role === "user") all.push({ label: "Revert to here", run: () => act("revert", info.id) })
    return all
  }
  return (
    <span class="message-menu">
      <span role="status">{note.value}</span>
      <Menu label="Message actions" actions={actions} head={() => <Facts info={info} />} />
    </span>
  )
}

const fullTime = lazily(
  () => new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" }),
)

const Facts = ({ info }: { readonly info: MessageInfo }) => {
  const { tokens, cost, modelID } = info
  const took = messageDuration(info)
  return (
    <dl class="menu-facts">
      <Fact name="Time" value={fullTime().format(info.time.created)} />
      {modelID === undefined ? null : <Fact name="Model" value={modelID} />}
      {took === null ? null : <Fact name="Took" value={duration(took)} />}
      {cost === undefined ? null : <Fact name="Cost" value={usd(cost)} />}
      {tokens === undefined ? null : (
        <Fact
          name="Tokens"
          value={`${compact(tokens.input + tokens.cache.read + tokens.cache.write)} in (${compact(tokens.cache.read)} cached), ${compact(tokens.output)} out`}
        />
      )}
    </dl>
  )
}

const Fact = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)
