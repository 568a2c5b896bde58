// The search box: its index is loaded when it is first focused. A combobox with a list of results, for mouse and keyboard.
import { SEARCH_OPTIONS } from "./search-options.js"

const MOST = 12

let loading

const load = () => {
  loading ??= (async () => {
    const [{ default: MiniSearch }, answer] = await Promise.all([
      import("./minisearch.js"),
      fetch("/docs/assets/search-index.json"),
    ])
    if (!answer.ok) throw new Error(`The search index was answered with ${answer.status}.`)
    return MiniSearch.loadJSON(await answer.text(), SEARCH_OPTIONS)
  })()
  loading.catch(() => (loading = undefined))
  return loading
}

const element = (name, className, text) => {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

const option = ({ id, page, heading, group, excerpt }, index) => {
  const item = document.createElement("li")
  item.id = `result-${index}`
  item.setAttribute("role", "option")
  item.dataset.href = id
  item.append(
    element("span", "where", heading === "" ? group : `${group} › ${page}`),
    element("strong", "what", heading === "" ? page : heading),
    element("span", "text", excerpt),
  )
  return item
}

const countOf = (count, query) => {
  if (count === 0) return `Nothing found for “${query}”.`
  return count === 1 ? "1 result" : `${count} results`
}

export const setUpSearch = (box) => {
  const input = box.querySelector("input")
  const panel = box.querySelector(".panel")
  const list = box.querySelector("ul")
  const status = box.querySelector(".status")
  let active = -1
  let asked = 0

  const close = () => {
    panel.hidden = true
    input.setAttribute("aria-expanded", "false")
    input.removeAttribute("aria-activedescendant")
  }
  const choose = (index) => {
    const items = list.children
    if (items.length === 0) return
    items[active]?.removeAttribute("aria-selected")
    active = (index + items.length) % items.length
    items[active].setAttribute("aria-selected", "true")
    items[active].scrollIntoView({ block: "nearest" })
    input.setAttribute("aria-activedescendant", items[active].id)
  }
  const show = async () => {
    const query = input.value.trim()
    const mine = ++asked
    if (query === "") return close()
    panel.hidden = false
    input.setAttribute("aria-expanded", "true")
    try {
      const index = await load()
      if (mine !== asked) return
      const found = index.search(query).slice(0, MOST)
      list.replaceChildren(...found.map(option))
      status.textContent = countOf(found.length, query)
      active = -1
      input.removeAttribute("aria-activedescendant")
      if (found.length > 0) choose(0)
    } catch {
      status.textContent = "The search index could not be loaded. Type again to retry."
    }
  }
  const go = (item) => {
    close()
    location.assign(item.dataset.href)
  }

  input.addEventListener("focus", () => void load().catch(() => undefined))
  input.addEventListener("input", () => void show())
  input.addEventListener("keydown", (event) => {
    const isArrow = event.key === "ArrowDown" || event.key === "ArrowUp"
    if (isArrow && panel.hidden) void show()
    else if (event.key === "ArrowDown") choose(active + 1)
    else if (event.key === "ArrowUp") choose(active - 1)
    else if (event.key === "Enter" && list.children[active] !== undefined && !panel.hidden) go(list.children[active])
    else if (event.key === "Escape" && !panel.hidden) close()
    else return
    event.preventDefault()
  })
  list.addEventListener("click", (event) => {
    const item = event.target.closest("li")
    if (item !== null) go(item)
  })
  document.addEventListener("pointerdown", (event) => {
    if (!box.contains(event.target)) close()
  })
  box.addEventListener("focusout", (event) => {
    if (event.relatedTarget !== null && !box.contains(event.relatedTarget)) close()
  })
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]") !== null
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
    input.select()
  })
}
