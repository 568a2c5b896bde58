// The screen "Time" of a session.
import type { SessionStore } from "../store/session-store.ts"

export const Time = ({ store }: { readonly store: SessionStore }) => <h2>{store.session.value?.title}</h2>
