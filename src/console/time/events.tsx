// The screen "Events" of a session.
import type { SessionStore } from "../store/session-store.ts"

export const Events = ({ store }: { readonly store: SessionStore }) => <h2>{store.session.value?.title}</h2>
