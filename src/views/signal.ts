// Receives a line of a feed of signals; returns the SSE frame of its signal (`format=signal`).
// Invariant: the Durable Object has built the signal; its JSON is passed on unchanged.
import type { Frame, View } from "./sdk.ts"

const NOTHING: ReadonlyArray<Frame> = []

export const signalView: View = ({ seq, json }) => (seq === null ? NOTHING : [{ id: seq, data: json }])
