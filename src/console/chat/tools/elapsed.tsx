// The time since a call started, updated every second.
import { useEffect, useState } from "preact/hooks"
import { serverNow } from "../../store/server-time.ts"
import { duration } from "../../kit/format.ts"
import type { Part } from "../../store/frames.ts"
import { useChat } from "../chat-view.ts"

export const Elapsed = ({ part }: { readonly part: Part }) => {
  const { isLive } = useChat()
  const start = isLive && part.state?.status === "running" ? part.state.time?.start : undefined
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    if (start === undefined) return
    const timer = setInterval(() => setNow(serverNow()), 1000)
    return () => clearInterval(timer)
  }, [start])
  if (start === undefined || now - start < 1000) return null
  return <span class="tool-time">{duration(Math.floor((now - start) / 1000) * 1000)}</span>
}
