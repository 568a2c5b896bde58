// The theme, dark or light: that of the system until the switch in the sidebar selects one, which is stored in this browser.
import { signal } from "@preact/signals"

export type Theme = "system" | "light" | "dark"

const KEY = "perch.theme"

const isTheme = (value: string | null): value is Theme => value === "light" || value === "dark" || value === "system"

const stored = (): Theme => {
  const value = localStorage.getItem(KEY)
  return isTheme(value) ? value : "system"
}

export const theme = signal<Theme>(stored())

export const applyTheme = (): void => {
  const { dataset } = document.documentElement
  if (theme.value === "system") delete dataset["theme"]
  else dataset["theme"] = theme.value
}

export const chooseTheme = (next: Theme): void => {
  theme.value = next
  localStorage.setItem(KEY, next)
  applyTheme()
}
