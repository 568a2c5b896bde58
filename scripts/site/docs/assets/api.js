// Shows /openapi.json with Swagger UI, whose script the page has loaded before this one.
const reference = document.querySelector("#reference")

/** The page has a heading of its own. */
const withoutInfo = () => ({ wrapComponents: { InfoContainer: () => () => null } })

const show = async () => {
  const answer = await fetch("/openapi.json")
  if (!answer.ok) throw new Error(`/openapi.json was answered with ${answer.status}.`)
  const { jsonSchemaDialect: _, ...spec } = await answer.json()
  globalThis.SwaggerUIBundle({
    domNode: reference,
    // Without the dialect: the document names JSON Schema's own, and Swagger UI warns of every other than OpenAPI's.
    spec,
    plugins: [withoutInfo],
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

show().catch((error) => {
  reference.setAttribute("aria-busy", "false")
  reference.textContent = `The reference could not be loaded: ${error.message} Reload the page to try again.`
})
