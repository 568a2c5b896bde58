// Shows /openapi.json with Swagger UI, whose script the page has loaded before this one.
const reference = document.querySelector("#reference")

/** The page has a heading of its own, and a link inside the button that opens an operation is no second control. */
const changes = () => ({
  wrapComponents: {
    InfoContainer: () => () => null,
    DeepLink:
      (_, { React }) =>
      ({ text }) =>
        React.createElement("span", null, text),
  },
})

/** What Swagger UI leaves without a name or out of the keyboard's reach. */
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

const show = async () => {
  const answer = await fetch("/openapi.json")
  if (!answer.ok) throw new Error(`/openapi.json was answered with ${answer.status}.`)
  const { jsonSchemaDialect: _, ...spec } = await answer.json()
  globalThis.SwaggerUIBundle({
    domNode: reference,
    // Without the dialect: the document names JSON Schema's own, and Swagger UI warns of every other than OpenAPI's.
    spec,
    plugins: [changes],
    syntaxHighlight: { activated: false },
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 2,
    deepLinking: true,
    filter: true,
    validatorUrl: null,
    persistAuthorization: false,
    onComplete: () => reference.setAttribute("aria-busy", "false"),
  })
}

new MutationObserver(complete).observe(reference, { childList: true, subtree: true })
show().catch((error) => {
  reference.setAttribute("aria-busy", "false")
  reference.textContent = `The reference could not be loaded: ${error.message} Reload the page to try again.`
})
