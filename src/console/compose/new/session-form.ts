// The form for a new session, which is kept in the tab's storage; and the request that it produces.
// Invariant: an empty field is omitted from the request, so that the server's default applies.
import { isPlainObject } from "../../../schemas/plain-object.ts"
import type { CreateSession } from "../../../client/api/session-shapes.ts"
import { shorten } from "../../kit/text/cut-text.ts"
import { type DraftStorage, readDraft, writeDraft } from "../drafts.ts"

export interface SessionForm {
  readonly prompt: string
  readonly title: string
  readonly model: string
  readonly permissionMode: string
  /** The agent that the session runs as. */
  readonly agent: string
  /** Definitions of subagents by name, as JSON. */
  readonly agents: string
  readonly cwd: string
  readonly maxBudgetUsd: string
  readonly maxTurns: string
}

export const EMPTY_FORM: SessionForm = {
  prompt: "",
  title: "",
  model: "",
  permissionMode: "default",
  agent: "",
  agents: "",
  cwd: "",
  maxBudgetUsd: "",
  maxTurns: "",
}

/** The name of the form's draft. */
export const NEW_SESSION = "new"

export const readForm = (storage: DraftStorage): SessionForm => {
  try {
    const draft: unknown = JSON.parse(readDraft(storage, NEW_SESSION) || "{}")
    if (typeof draft !== "object" || draft === null) return EMPTY_FORM
    const texts = Object.entries(draft).filter(([name, value]) => name in EMPTY_FORM && typeof value === "string")
    return { ...EMPTY_FORM, ...Object.fromEntries(texts) }
  } catch {
    // Stored by another version of the page.
    return EMPTY_FORM
  }
}

export const writeForm = (storage: DraftStorage, form: SessionForm | null): boolean =>
  writeDraft(storage, NEW_SESSION, form === null ? "" : JSON.stringify(form))

/** Whether the form has been filled in. */
export const isFilledIn = (storage: DraftStorage): boolean => {
  const { permissionMode: _, ...texts } = readForm(storage)
  return Object.values(texts).some((text) => text.trim() !== "")
}

type Read<A> = { readonly value: A } | { readonly field: keyof SessionForm; readonly problem: string }

const agentsOf = (text: string): Read<unknown> => {
  if (text.trim() === "") return { value: undefined }
  try {
    const value: unknown = JSON.parse(text)
    if (isPlainObject(value)) return { value }
    return { field: "agents", problem: "Agents must be a JSON object with a definition for each name." }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { field: "agents", problem: `Agents are not JSON: ${why}.` }
  }
}

const EXPECTED = {
  maxBudgetUsd: "The budget must be an amount in USD above 0",
  maxTurns: "The model requests per turn must be a whole number above 0",
}

const numberOf = (field: "maxBudgetUsd" | "maxTurns", text: string): Read<number | undefined> => {
  if (text.trim() === "") return { value: undefined }
  const value = Number(text)
  const isValid = Number.isFinite(value) && value > 0 && (field === "maxBudgetUsd" || Number.isInteger(value))
  return isValid ? { value } : { field, problem: `${EXPECTED[field]}. Got ${text.trim()}.` }
}

/** The body of `POST /v1/sessions` for a session with this id, or the problem of an invalid field. */
export const sessionOf = (form: SessionForm, id: string): Read<CreateSession> => {
  const agents = agentsOf(form.agents)
  if ("problem" in agents) return agents
  const budget = numberOf("maxBudgetUsd", form.maxBudgetUsd)
  if ("problem" in budget) return budget
  const turns = numberOf("maxTurns", form.maxTurns)
  if ("problem" in turns) return turns
  const cwd = form.cwd.trim()
  if (cwd !== "" && !cwd.startsWith("/")) {
    return { field: "cwd", problem: `The working directory must be absolute, such as /workspace. Got ${cwd}.` }
  }
  const options = Object.entries({
    model: form.model || undefined,
    permissionMode: form.permissionMode === "default" ? undefined : form.permissionMode,
    allowDangerouslySkipPermissions: form.permissionMode === "bypassPermissions" ? true : undefined,
    agent: form.agent || undefined,
    agents: agents.value,
    maxBudgetUsd: budget.value,
    maxTurns: turns.value,
  }).filter(([, value]) => value !== undefined)
  const title = form.title.trim()
  const body = {
    id,
    // If it is sent again after an error, the server returns the session that the first request created.
    on_exists: "attach" as const,
    ...(title === "" ? {} : { title }),
    ...(cwd === "" ? {} : { cwd }),
    options: Object.fromEntries(options),
  }
  return { value: body }
}

/** The default title of a session: the prompt's first line. */
export const titleFrom = (prompt: string): string => shorten(prompt.trim().split("\n")[0] ?? "", 60)
