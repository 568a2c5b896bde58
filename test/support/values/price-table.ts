// A usage of every kind, and its cost on each listed model, calculated by hand from the list prices.

/** 1,000 in, 500 out, 2,000 read, 400 written for 5 m, 300 for 1 h, 3 web searches. */
export const EVERY_KIND = {
  input_tokens: 1000,
  output_tokens: 500,
  cache_read_input_tokens: 2000,
  cache_creation_input_tokens: 700,
  cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 300 },
  server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 },
}
export const EVERY_KIND_USD: ReadonlyArray<readonly [string, number]> = [
  ["claude-sonnet-4-0", 0.0444],
  ["claude-sonnet-4-5", 0.0444],
  ["claude-sonnet-4-6", 0.0444],
  ["claude-sonnet-5", 0.0396],
  ["claude-sonnet-5-5", 0.0394],
  ["claude-haiku-4-5", 0.0348],
  ["claude-haiku-5-5", 0.03048],
  ["claude-opus-4-5", 0.054],
  ["claude-opus-4-6", 0.054],
  ["claude-opus-4-7", 0.054],
  ["claude-opus-4-8", 0.054],
  ["claude-opus-5", 0.054],
  ["claude-opus-5-5", 0.0488],
  ["claude-fable-5", 0.078],
  ["claude-fable-5-1", 0.0765],
  ["claude-fable-5-2", 0.0672],
  ["claude-mythos-5", 0.078],
  ["claude-mythos-5-1", 0.0765],
  ["claude-mythos-5-2", 0.0672],
]
