// Receives a line of a feed of signals; returns the SSE frame of its signal (`format=signal`).
// Invariant: the session's object has made the signal; its JSON is passed on as it is.
import type { Frame, View } from "./sdk.ts"

const NOTHING: ReadonlyArray<Frame> = []

export const signalView: View = ({ seq, json }) => (seq === null ? NOTHING : [{ id: seq, data: json }])
