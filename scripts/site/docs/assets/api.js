// Shows the operations of one tag (`?tag=NAME`) with Swagger UI. Without a tag the page is the list that was built. One tag at
// a time, because with the whole document Swagger UI takes seconds to open an operation.
const reference = document.querySelector("#reference")

/** The page has its own heading, and a link inside the button that opens an operation must not be a second control. */
const changes = () => ({
  wrapComponents: {
    InfoContainer: () => () => null,
    DeepLink:
      (_, { React }) =>
      ({ text }) =>
        React.createElement("span", null, text),
  },
})

/** Adds the names and the keyboard access that Swagger UI lacks. */
const complete = () => {
  for (const select of reference.querySelectorAll("select:not([aria-label])")) {
    const label = select.id === "servers" ? "Server" : select.closest(".examples-select") ? "Example" : "Media type"
    select.setAttribute("aria-label", label)
  }
  for (const block of reference.querySelectorAll("pre:not([tabindex])")) block.tabIndex = 0
  for (const field of reference.querySelectorAll("input:not([aria-label]), textarea:not([aria-label])")) {
    field.setAttribute("aria-label", field.placeholder || "Value")
  }
}

/** The document with the operations of one tag, and the components that they reference. */
const partOf = ({ jsonSchemaDialect: _, ...document }, tag) => {
  const components = {}
  const add = (value) => {
    if (value === null || typeof value !== "object") return
    const [, , kind, name] = typeof value.$ref === "string" ? value.$ref.split("/") : []
    if (kind !== undefined && components[kind]?.[name] === undefined) {
      components[kind] = { ...components[kind], [name]: document.components[kind][name] }
      add(document.components[kind][name])
    }
    for (const one of Object.values(value)) add(one)
  }
  const withTag = ([, operation]) => operation.tags?.[0] === tag
  const paths = Object.entries(document.paths)
    .map(([route, methods]) => [route, Object.fromEntries(Object.entries(methods).filter(withTag))])
    .filter(([, methods]) => Object.keys(methods).length > 0)
  add(paths)
  components.securitySchemes = document.components.securitySchemes
  const tags = document.tags.filter(({ name }) => name === tag)
  return { ...document, tags, paths: Object.fromEntries(paths), components }
}

const load = (src) =>
  new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.src = src
    script.addEventListener("load", resolve)
    script.addEventListener("error", () => reject(new Error(`${src} did not load.`)))
    document.head.append(script)
  })

const show = async (tag) => {
  const [answer] = await Promise.all([fetch("/openapi.json"), load("/docs/assets/swagger-ui-bundle.js")])
  if (!answer.ok) throw new Error(`/openapi.json was answered with ${answer.status}.`)
  globalThis.SwaggerUIBundle({
    domNode: reference,
    // Without the dialect: the document declares JSON Schema's own, and Swagger UI warns of any other than OpenAPI's.
    spec: partOf(await answer.json(), tag),
    plugins: [changes],
    syntaxHighlight: { activated: false },
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 2,
    deepLinking: true,
    validatorUrl: null,
    persistAuthorization: false,
    onComplete: () => reference.setAttribute("aria-busy", "false"),
  })
}

const backToAll = () => {
  const link = document.createElement("a")
  link.href = "/docs/api"
  link.textContent = "All routes"
  const line = document.createElement("p")
  line.append(link)
  reference.before(line)
}

const tag = new URLSearchParams(location.search).get("tag")
if (tag !== null) {
  document.querySelector("#overview").hidden = true
  document.body.classList.add("wide")
  document.querySelector(".contents")?.remove()
  backToAll()
  reference.hidden = false
  reference.setAttribute("aria-busy", "true")
  reference.textContent = "The reference is loading."
  new MutationObserver(complete).observe(reference, { childList: true, subtree: true })
  show(tag).catch((error) => {
    reference.setAttribute("aria-busy", "false")
    reference.textContent = `The reference could not be loaded: ${error.message} Reload the page to try again.`
  })
}
