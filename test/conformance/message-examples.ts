// One message for each type without a recording, with every optional field that contains an object.
const stamp = { uuid: "0199a000-0000-7000-8000-000000000001", session_id: "0199a000-0000-7000-8000-000000000002" }
const system = (subtype: string, fields: Readonly<Record<string, unknown>>) => ({
  type: "system",
  subtype,
  ...fields,
  ...stamp,
})
const hook = { hook_id: "h1", hook_name: "PreToolUse:Bash", hook_event: "PreToolUse" }
const refusal = {
  original_model: "model-a",
  request_id: null,
  api_refusal_category: "bio",
  api_refusal_explanation: null,
  refused_user_message_uuid: null,
  content: "The model refused.",
}
const modelUsage = {
  inputTokens: 1,
  outputTokens: 2,
  cacheReadInputTokens: 3,
  cacheCreationInputTokens: 4,
  webSearchRequests: 0,
  costUSD: 0.01,
  contextWindow: 200_000,
  maxOutputTokens: 64_000,
}
const iteration = {
  input_tokens: 1,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
}
const png = { type: "base64", media_type: "image/png", data: "AA==" }

/** By type. Examples of recorded types add what the recordings lack. */
export const EXAMPLES: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  assistant: [
    {
      type: "assistant",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "model-a",
        content: [
          { type: "text", text: "So.", citations: [{ type: "page_location", cited_text: "x" }] },
          { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "x" } },
          { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] },
          { type: "mcp_tool_use", id: "mcp_1", name: "look", server_name: "files", input: {} },
          { type: "mcp_tool_result", tool_use_id: "mcp_1", content: "x", is_error: false },
          { type: "container_upload", file_id: "file_1" },
          { type: "of_tomorrow", anything: [1, { deep: true }] },
        ],
        stop_reason: "refusal",
        stop_sequence: null,
        stop_details: { type: "refusal", category: "bio", explanation: null },
        container: {
          id: "c1",
          expires_at: "2026-11-01T00:00:00Z",
          skills: [{ skill_id: "s", type: "custom", version: "1" }],
        },
        context_management: { applied_edits: [{ type: "clear_tool_uses_20250919", cleared_input_tokens: 1 }] },
        diagnostics: { cache_miss_reason: { type: "model_changed" } },
        input_transformations: [{ type: "thinking_dropped", path: "messages.1", reason: "model_binding_mismatch" }],
        usage: {
          input_tokens: 1,
          output_tokens: 1,
          cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
          server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
          output_tokens_details: { thinking_tokens: 0 },
          iterations: [
            { type: "message", model: null, ...iteration },
            { type: "compaction", ...iteration },
          ],
          fallback_credit: { status: { type: "not_applied", reason: "expired" } },
        },
      },
      parent_tool_use_id: null,
      context_usage: {
        model: "model-a",
        total_tokens: 1,
        raw_max_tokens: 2,
        percentage: 50,
        over_limit: { tokens_over: 1, kind: "hard_limit" },
        categories: [{ name: "Messages", tokens: 1, kind: "used" }],
        mcp_tools: [{ name: "t", server_name: "s", tokens: 1 }],
        memory_files: [{ path: "/m", type: "Project", tokens: 1 }],
        agents: [{ agent_type: "helper", source: "user", tokens: 1 }],
        skills: [{ name: "k", source: "user", tokens: 1 }],
      },
      usage_report: {
        session: {
          total_cost_usd: 1,
          total_api_duration_ms: 1,
          total_duration_ms: 1,
          total_lines_added: 1,
          total_lines_removed: 1,
          model_usage: { "model-a": modelUsage },
        },
        rate_limits: {
          limits: [
            {
              kind: "session",
              group: "g",
              percent: 1,
              resets_at: null,
              scope: { model: { display_name: "A" }, surface: null },
              severity: "ok",
              is_active: true,
            },
          ],
          extra_usage: { is_enabled: true, monthly_limit: null, used_credits: 1, utilization: null },
        },
      },
      ...stamp,
    },
  ],
  user: [
    {
      type: "user",
      message: {
        role: "user",
        content: [
          { type: "text", text: "Look:", cache_control: { type: "ephemeral", ttl: "1h" } },
          { type: "image", source: png },
          { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
          { type: "document", source: { type: "file", file_id: "file_1" }, citations: { enabled: true } },
          { type: "document", source: { type: "content", content: [{ type: "text", text: "x" }] } },
          { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "x" }] },
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source: png }], is_error: true },
          { type: "thinking", thinking: "hm", signature: "c2ln" },
          { type: "redacted_thinking", data: "AA==" },
        ],
      },
      parent_tool_use_id: null,
      origin: { kind: "peer", from: "someone", name: "S" },
      pasted_content: ["x", [{ type: "text", text: "y" }]],
    },
    { type: "user", message: { role: "user", content: "Hi" }, parent_tool_use_id: null, origin: { kind: "human" } },
  ],
  stream_event: [
    {
      type: "stream_event",
      event: {
        type: "content_block_delta",
        index: 0,
        delta: { type: "citations_delta", citation: { type: "char_location" } },
      },
      parent_tool_use_id: null,
      ...stamp,
    },
    { type: "stream_event", event: { type: "ping" }, parent_tool_use_id: null, ...stamp },
  ],
  "result/error_during_execution": [
    {
      type: "result",
      subtype: "error_during_execution",
      duration_ms: 1,
      duration_api_ms: 1,
      is_error: true,
      num_turns: 0,
      stop_reason: null,
      total_cost_usd: 0,
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens_details: { thinking_tokens: 0 },
        server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
        service_tier: "standard",
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        inference_geo: "",
        iterations: [{ type: "advisor_message", model: "model-b", ...iteration }],
        speed: "standard",
        fallback_credit: { status: { type: "redeemed" } },
      },
      modelUsage: { "model-a": modelUsage },
      permission_denials: [{ tool_name: "Bash", tool_use_id: "t1", tool_input: {} }],
      errors: ["The configuration cannot be read."],
      startup_failure_reason: "config_file_invalid",
      invalid_config_file: { path: "/c", is_global: true, backup_searched: false },
      ...stamp,
    },
  ],
  "system/init": [
    system("init", {
      apiKeySource: "none",
      claude_code_version: "1",
      cwd: "/",
      tools: [],
      mcp_servers: [],
      model: "m",
      permissionMode: "default",
      slash_commands: [],
      output_style: "default",
      skills: [],
      plugins: [{ name: "p", path: "/p" }],
      plugin_errors: [{ plugin: "p", type: "t", message: "m", managed_lock: { plugin_enabled: true, name: "p" } }],
    }),
  ],
  "system/api_retry": [
    system("api_retry", {
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 500,
      error_status: null,
      error: "overloaded",
      no_response: { waited_ms: 1, retry_wait_ms: 2 },
    }),
  ],
  "system/control_request_progress": [
    system("control_request_progress", { request_id: "r1", status: "started", error_status: null }),
  ],
  "system/model_refusal_fallback": [
    system("model_refusal_fallback", {
      trigger: "refusal",
      direction: "retry",
      fallback_model: "model-b",
      retracted_message_uuids: ["u1"],
      ...refusal,
    }),
  ],
  "system/model_refusal_no_fallback": [system("model_refusal_no_fallback", refusal)],
  "system/session_state_changed": [system("session_state_changed", { state: "requires_action" })],
  "system/worker_shutting_down": [system("worker_shutting_down", { reason: "deploy" })],
  "system/local_command_output": [system("local_command_output", { content: "x" })],
  "system/hook_started": [system("hook_started", hook)],
  "system/hook_progress": [system("hook_progress", { ...hook, stdout: "", stderr: "", output: "" })],
  "system/hook_response": [
    system("hook_response", { ...hook, stdout: "", stderr: "", output: "", exit_code: 0, outcome: "success" }),
  ],
  "system/plugin_install": [system("plugin_install", { status: "failed", name: "p", error: "e" })],
  "system/commands_changed": [
    system("commands_changed", { commands: [{ name: "clear", description: "d", argumentHint: "", builtin: true }] }),
  ],
  "system/files_persisted": [
    system("files_persisted", {
      files: [{ filename: "a", file_id: "file_1" }],
      failed: [{ filename: "b", error: "e" }],
      processed_at: "2026-11-01T00:00:00Z",
    }),
  ],
  "system/memory_recall": [
    system("memory_recall", { mode: "select", memories: [{ path: "/m", scope: "team", content: "c" }] }),
  ],
  "system/elicitation_complete": [system("elicitation_complete", { mcp_server_name: "s", elicitation_id: "e" })],
  "system/mirror_error": [system("mirror_error", { error: "e", key: { projectKey: "p", sessionId: "s" } })],
  "system/session_writes_lost": [system("session_writes_lost", { error_code: "ENOSPC", lost: ["transcript"] })],
  "system/task_notification": [
    system("task_notification", {
      task_id: "t",
      status: "completed",
      output_file: "/o",
      summary: "s",
      resource_links: [{ uri: "file:///x", name: "x", annotations: {} }],
    }),
  ],
  "system/background_tasks_changed": [
    system("background_tasks_changed", { tasks: [{ task_id: "t", task_type: "local_bash", description: "d" }] }),
  ],
  tool_progress: [
    {
      type: "tool_progress",
      tool_use_id: "t1",
      tool_name: "Bash",
      parent_tool_use_id: null,
      elapsed_time_seconds: 30,
      subagent_retry: {
        agent_id: "a",
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: 500,
        error_status: null,
        error_category: "overloaded",
      },
      ...stamp,
    },
  ],
  tool_use_summary: [{ type: "tool_use_summary", summary: "s", preceding_tool_use_ids: ["t1"], ...stamp }],
  auth_status: [{ type: "auth_status", isAuthenticating: true, output: ["x"], ...stamp }],
  rate_limit_event: [
    { type: "rate_limit_event", rate_limit_info: { status: "allowed_warning", utilization: 0.9 }, ...stamp },
  ],
  prompt_suggestion: [{ type: "prompt_suggestion", suggestion: "Now test it.", ...stamp }],
  keep_alive: [{ type: "keep_alive" }],
  active_goal: [
    {
      type: "active_goal",
      value: { condition: "c", iterations: 1, set_at: 1, tokens_at_start: 1 },
      ...stamp,
    },
    { type: "active_goal", value: null, ...stamp },
  ],
  transcript_mirror: [{ type: "transcript_mirror", filePath: "/t.jsonl", entries: [{ any: 1 }] }],
}

/** Observed from the official SDK, or known to its client, but not in its types: these pass through. */
export const UNDECLARED: ReadonlyArray<{ readonly type: string } & Readonly<Record<string, unknown>>> = [
  { type: "attachment", attachment: { type: "hook_success", hookName: "h" }, timestamp: "t", ...stamp },
  { type: "command_lifecycle", command_uuid: "u", state: "queued", ...stamp },
  { type: "autocompact_state", ...stamp },
  { type: "sources_changed", ...stamp },
  { type: "env_manager_log", line: "x" },
  { type: "system", subtype: "model_fallback", trigger: "overloaded", original_model: "a", fallback_model: "b" },
  { type: "system", subtype: "post_turn_summary", ...stamp },
  { type: "system", subtype: "task_summary", ...stamp },
  { type: "system", subtype: "session_metadata", ...stamp },
  { type: "result", subtype: "of_tomorrow", ...stamp },
  { type: "system/init" },
  { type: "unknown" },
  { type: "constructor" },
]
