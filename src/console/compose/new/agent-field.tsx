// The agent that a new session runs as: one of the agents stored on the server, or the default.
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { messageOf, signedIn } from "../../app/server.ts"
import { ErrorText } from "../../kit/error-text.tsx"

interface Agent {
  readonly name: string
  readonly description: string
}

interface AgentProps {
  readonly value: string
  readonly onChange: (name: string) => void
}

export const AgentField = ({ value, onChange }: AgentProps) => {
  const agents = useSignal<ReadonlyArray<Agent>>([])
  const error = useSignal<string | null>(null)
  const read = () => {
    error.value = null
    signedIn()
      .transport.json<{ data: ReadonlyArray<Agent> }>("GET", "/v1/agents")
      .then(({ data }) => (agents.value = data))
      .catch((cause: unknown) => (error.value = messageOf(cause)))
  }
  useEffect(read, [])
  return (
    <div class="form-field">
      <label for="agent">Runs as</label>
      <select id="agent" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">the default agent</option>
        {value === "" || agents.value.some(({ name }) => name === value) ? null : (
          <option value={value}>{value}</option>
        )}
        {agents.value.map(({ name, description }) => (
          <option key={name} value={name}>
            {name}: {description.slice(0, 60)}
          </option>
        ))}
      </select>
      <ErrorText unread="The agents" error={error.value} onRetry={read} />
    </div>
  )
}
