// The interactive parts of a docs page: theme, phone menu, copy buttons, the current heading, search.
// Invariant: no HTML is created from text; everything is a text node or a property.
import { setUpSearch } from "./search.js"

const root = document.documentElement

const setUpTheme = () => {
  const button = document.querySelector("button.theme")
  const system = matchMedia("(prefers-color-scheme: dark)")
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark"
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark"
    button.setAttribute("aria-label", `Use the ${isDark() ? "light" : "dark"} theme`)
    root.classList.toggle("dark-mode", isDark())
  }
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark"
    try {
      localStorage.setItem("perch.theme", root.dataset.theme)
    } catch {
      // Storage is unavailable: the choice applies to this page.
    }
    show()
  })
  system.addEventListener("change", show)
  show()
}

const setUpMenu = () => {
  const button = document.querySelector("button.menu")
  const navigation = document.querySelector("#navigation")
  const showCurrent = () => navigation.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" })
  const open = (isOpen) => {
    button.setAttribute("aria-expanded", String(isOpen))
    navigation.classList.toggle("open", isOpen)
    if (isOpen) showCurrent()
  }
  button.addEventListener("click", () => open(button.getAttribute("aria-expanded") !== "true"))
  navigation.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return
    open(false)
    button.focus()
  })
  // On a narrow screen, the open menu covers the text.
  navigation.parentElement.addEventListener("focusin", ({ target }) => {
    if (!navigation.contains(target)) open(false)
  })
  showCurrent()
}

const setUpCopy = () => {
  for (const figure of document.querySelectorAll("figure[data-copy]")) {
    const button = document.createElement("button")
    button.type = "button"
    button.className = "copy"
    button.textContent = "Copy"
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(figure.querySelector("code").textContent)
        button.textContent = "Copied"
      } catch {
        button.textContent = "Not allowed"
      }
      setTimeout(() => (button.textContent = "Copy"), 1500)
    })
    figure.append(button)
  }
}

/** Marks the heading that is being read in "On this page". */
const setUpContents = () => {
  const links = new Map(
    [...document.querySelectorAll(".contents a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
  )
  if (links.size === 0) return
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter((heading) => heading !== null)
  const mark = () => {
    const top = innerHeight * 0.3
    const current = headings.findLast((heading) => heading.getBoundingClientRect().top < top) ?? headings[0]
    for (const [id, link] of links) {
      if (id === current.id) link.setAttribute("aria-current", "true")
      else link.removeAttribute("aria-current")
    }
  }
  const observer = new IntersectionObserver(mark, { rootMargin: "0px 0px -70% 0px" })
  for (const heading of headings) observer.observe(heading)
  mark()
}

const setUpContentsFold = () => {
  const details = document.querySelector(".contents details")
  if (details !== null && matchMedia("(max-width: 1150px)").matches) details.open = false
}

setUpTheme()
setUpMenu()
setUpCopy()
setUpContentsFold()
setUpContents()
setUpSearch(document.querySelector(".search"))
