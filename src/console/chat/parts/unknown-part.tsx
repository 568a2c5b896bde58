// A part of a type that the console does not know, as JSON.
import { LongText } from "../../kit/long-text.tsx"
import type { Part } from "../../store/frames.ts"
import { ChatFold } from "../chat-fold.tsx"

export const UnknownPart = ({ part }: { readonly part: Part }) => (
  <ChatFold id={part.id} class="note" head={<span>{part.type}</span>}>
    {() => <LongText text={JSON.stringify(part, null, 2)} label={`The part ${part.type}`} />}
  </ChatFold>
)
