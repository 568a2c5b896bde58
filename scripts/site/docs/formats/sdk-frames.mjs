// The meaning of each kind of SDK message, by type, subtype and the types of its content blocks.
export const SDK_FRAMES = {
  "system / init":
    "Begins a turn: the session's directory, model, tools, permission mode, commands, subagents and MCP servers.",
  "system / session_state_changed":
    "The session runs (`running`), waits for an answer (`requires_action`) or has nothing to do (`idle`).",
  "system / api_retry": "A request to the Messages API failed and is made again after `retry_delay_ms`.",
  "assistant / thinking":
    "A block of the model's thinking, with the signature that the API checks when it is sent back.",
  "assistant / redacted_thinking": "Thinking that the API encrypted. It is kept and sent back; no one can read it.",
  "assistant / text":
    "A block of the model's text. Blocks of one answer are messages of their own with the same `message.id`.",
  "assistant / tool_use": "The model calls a tool. Calls of one answer may run concurrently.",
  "user / tool_result": "The result of a call, as the model reads it; `tool_use_result` is the structured result.",
  "user / text": "Text that joins the conversation as the user's: a subagent's prompt, or the note of an interrupt.",
  user: "A prompt or a summary as plain text.",
  "system / task_started": "A subagent or a background command started; later messages refer to it by `task_id`.",
  "system / task_progress": "What a subagent has used so far, and the last tool that it called.",
  "system / task_updated": "What changed of a task, such as its status.",
  "system / task_notification": "A task ended: its status, its summary and what it used.",
  "system / status": "The session is compacting (`compacting`), or no longer.",
  "system / compact_boundary": "The conversation was compacted; earlier messages are no longer sent to the model.",
  "result / success":
    "Ends a turn: the text or structured output, the number of model requests, durations, usage and cost.",
  "result / error_during_execution":
    "Ends a turn that was interrupted or failed. The cost and the usage are those of the work that was done.",
}
