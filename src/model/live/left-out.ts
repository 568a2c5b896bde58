// Replaces, in the Worker's bundle, the package of OpenTelemetry's interfaces (`[alias]` in wrangler.toml). The client of the Messages
// API imports it for its spans, which are off (`openTelemetry: false` in live-model.ts).
// Invariant: code that uses it anyway gets a TypeError.

export const context = undefined
export const propagation = undefined
export const trace = undefined
export const SpanKind = undefined
export const SpanStatusCode = undefined
