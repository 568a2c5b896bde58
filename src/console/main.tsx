// Begins the console: the theme, then the app.
import { render } from "preact"
import { App } from "./app/app.tsx"
import { applyTheme } from "./app/theme.ts"

applyTheme()
const root = document.getElementById("app")
if (root === null) throw new Error("The page has no element with the id app.")
render(<App />, root)
