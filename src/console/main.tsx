// Starts the console: the theme, the sign-in code of the address, then the app.
import { render } from "preact"
import { App } from "./app/app.tsx"
import { signInWithCode } from "./app/sign-in/sign-in-code.ts"
import { applyTheme } from "./app/theme.ts"

applyTheme()
void signInWithCode()
// An address that is opened in a tab with this page does not load the page again.
addEventListener("hashchange", () => void signInWithCode())
// Otherwise the browser would replace the page with a file that is dropped where nothing accepts it.
addEventListener("dragover", (event) => {
  if (event.defaultPrevented || event.dataTransfer?.types.includes("Files") !== true) return
  event.dataTransfer.dropEffect = "none"
  event.preventDefault()
})
const root = document.getElementById("app")
if (root === null) throw new Error("The page has no element with the id app.")
// Rendered in a separate task: evaluating all modules and rendering in one task would block a slow device for longer.
setTimeout(() => render(<App />, root))
