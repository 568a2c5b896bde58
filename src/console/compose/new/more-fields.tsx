// The fields of a new session below its prompt: title, working directory, limits, agent and subagents.
import { AgentField } from "./agent-field.tsx"
import type { SessionForm } from "./session-form.ts"

interface MoreFieldsProps {
  readonly form: SessionForm
  readonly onChange: (change: Partial<SessionForm>) => void
}

export const MoreFields = ({ form, onChange }: MoreFieldsProps) => {
  const textField = (
    name: keyof SessionForm,
    label: string,
    placeholder: string,
    inputMode?: "decimal" | "numeric",
  ) => (
    <div class="form-field">
      <label for={name}>{label}</label>
      <input
        id={name}
        type="text"
        inputMode={inputMode}
        placeholder={placeholder}
        value={form[name]}
        onInput={(event) => onChange({ [name]: event.currentTarget.value })}
      />
    </div>
  )
  return (
    <details open={form.agents !== "" || form.cwd !== "" || form.agent !== ""}>
      <summary>Title, agents, working directory, limits</summary>
      <div class="new-fields">
        {textField("title", "Title", "the first line of the prompt")}
        {textField("cwd", "Working directory", "/workspace")}
        {textField("maxBudgetUsd", "Budget in USD", "no limit", "decimal")}
        {textField("maxTurns", "Model requests per turn, at most", "no limit", "numeric")}
        <AgentField value={form.agent} onChange={(agent) => onChange({ agent })} />
      </div>
      <div class="form-field">
        <label for="agents">Subagents of this session, as JSON</label>
        <textarea
          id="agents"
          class="code"
          rows={3}
          spellcheck={false}
          placeholder='{"reviewer": {"description": "Reviews code", "prompt": "Review what changed."}}'
          value={form.agents}
          onInput={(event) => onChange({ agents: event.currentTarget.value })}
        />
      </div>
    </details>
  )
}
