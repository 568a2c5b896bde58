// The whole page: the sign-in, or the sidebar with the sessions next to the screen that the address selects.
import { server } from "./server.ts"
import { Shell } from "./shell.tsx"
import { SignIn } from "./sign-in/sign-in.tsx"

export const App = () => (server.value === null ? <SignIn /> : <Shell key={server.value.tenant} />)
