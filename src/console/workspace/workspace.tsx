// The screen "Files" of a session.
import type { SessionStore } from "../store/session-store.ts"

export const Workspace = ({ store }: { readonly store: SessionStore }) => <h2>{store.session.value?.title}</h2>
