// Receives the usage of a model request as the API counts it; returns opencode's tokens.
// Invariant: cache is not included in `input`; `reasoning` is included in `output`.
import type { Tokens } from "../../schemas/parts.ts"
import { usageCount } from "../../schemas/sdk/messages/usage.ts"

export const NO_TOKENS: Tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

export const tokensOf = (usage: Readonly<Record<string, unknown>>): Tokens => ({
  input: usageCount(usage.input_tokens),
  output: usageCount(usage.output_tokens),
  reasoning: usageCount(
    // Any value may be there: `usageCount` returns 0 for what is no number.
    (usage.output_tokens_details as { readonly thinking_tokens?: unknown } | null | undefined)?.thinking_tokens,
  ),
  cache: { read: usageCount(usage.cache_read_input_tokens), write: usageCount(usage.cache_creation_input_tokens) },
})

export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
  cache: { read: a.cache.read + b.cache.read, write: a.cache.write + b.cache.write },
})
