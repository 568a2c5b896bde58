// One part of a message, of any type. A part of an unknown type is shown as JSON.
import { useChat } from "../chat-view.ts"
import type { MessageInfo, Part } from "../../store/frames.ts"
import { useFrame } from "../use-frame.ts"
import { ToolCard } from "../tools/tool-card.tsx"
import { Attachment, Mention } from "./attachment.tsx"
import { CompactionMark, PatchNote, RetryNote, StepFacts, SubtaskNote } from "./notes.tsx"
import { Reasoning, RedactedReasoning } from "./reasoning.tsx"
import { TextPart } from "./text-part.tsx"
import { UnknownPart } from "./unknown-part.tsx"

export const PartView = ({ id, info }: { readonly id: string; readonly info: MessageInfo }) => {
  const source = useChat().store.conversation.part(id)
  return source === undefined ? null : <KnownPart source={source} info={info} />
}

type PartSignal = Parameters<typeof useFrame<Part>>[0]

const KnownPart = ({ source, info }: { readonly source: PartSignal; readonly info: MessageInfo }) => {
  const part = useFrame(source)
  switch (part.type) {
    case "text":
      return <TextPart part={part} info={info} />
    case "reasoning":
      return <Reasoning part={part} info={info} />
    case "redacted-reasoning":
      return <RedactedReasoning part={part} />
    case "tool":
      return <ToolCard part={part} />
    case "file":
      return <Attachment part={part} />
    case "agent":
      return <Mention part={part} />
    case "subtask":
      return <SubtaskNote part={part} />
    case "step-start":
    // The cards show the changes; checkpoints are on the screens Files and Time.
    case "snapshot":
      return null
    case "step-finish":
      return <StepFacts part={part} />
    case "patch":
      return <PatchNote part={part} />
    case "retry":
      return <RetryNote part={part} />
    case "compaction":
      return <CompactionMark part={part} />
    default:
      return <UnknownPart part={part} />
  }
}
