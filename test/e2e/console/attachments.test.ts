// Files attached to prompts: they have their own names in the workspace, are kept when a prompt is withdrawn, and work without a
// secure context of the browser.
import { expect, inject, it } from "vitest"
import { messages, prompt, promptsOf, queue, scripted } from "../../support/browser/composer.ts"
import { downloaded, openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { promptFor, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const client = new PerchClient(shared)

const attached = (name: string, content: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(content) })

it("a file that is attached before the session has loaded is uploaded to the session's own directory", async () => {
  const { id } = await client.json<{ id: string }>("POST", "/v1/sessions", { json: { cwd: "/project" }, status: 201 })
  const script = await scripted(api, "early", textAnswer("Read it."))
  const { page } = await openConsole({})
  // The first read of the session has no answer before its prompt was sent.
  const sent = Promise.withResolvers<void>()
  await page.route(
    `**/v1/sessions/${id}`,
    async (route) => {
      await sent.promise
      await route.continue()
    },
    { times: 1 },
  )
  await page.goto(new URL(`#/sessions/${id}`, page.url()).href)
  await prompt(page).fill(promptFor(script))
  await page.getByLabel("Files to attach").setInputFiles([attached("data.csv", "early")])
  await prompt(page).press("Enter")
  await expect.poll(async () => (await client.json<{ turns: number }>("GET", `/v1/sessions/${id}`)).turns).toBe(1)
  sent.resolve()
  await messages(page).getByText("Read it.").waitFor()
  const file = await client.request("GET", `/v1/sessions/${id}/files/project/uploads/data.csv`)
  expect(await file.text()).toBe("early")
  expect((await promptsOf(client, id)).map((all) => all?.split("\n").at(-1))).toEqual(["@uploads/data.csv"])
})

it("an attached file never overwrites another of the same name, also if the working directory is the root", async () => {
  const { id } = await client.json<{ id: string }>("POST", "/v1/sessions", { json: { cwd: "/" }, status: 201 })
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  for (const content of ["first", "second"]) {
    const script = await scripted(api, content, textAnswer(`Read the ${content}.`))
    await prompt(page).fill(promptFor(script))
    await page.getByLabel("Files to attach").setInputFiles([attached("data.csv", content)])
    await prompt(page).press("Enter")
    await messages(page).getByText(`Read the ${content}.`).waitFor()
  }
  const read = (name: string) => client.request("GET", `/v1/sessions/${id}/files/uploads/${name}`)
  expect(await (await read("data.csv")).text()).toBe("first")
  expect(await (await read("data-2.csv")).text()).toBe("second")
  await prompt(page).pressSequentially("see @uploads/data-")
  await page.getByRole("option", { name: /uploads\/data-2\.csv/ }).waitFor()
  await prompt(page).fill("see @upl")
  await page
    .getByRole("option", { name: /uploads\// })
    .first()
    .waitFor()
  expect((await promptsOf(client, id)).map((all) => all?.split("\n").at(-1))).toEqual([
    "@uploads/data.csv",
    "@uploads/data-2.csv",
  ])
})

it("a prompt that is taken back has its image and its PDF", async () => {
  const held = await scripted(api, "held", { content: [text("Never shown.")], hold: {} })
  const id = await client.createSession({})
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await prompt(page).fill(promptFor(held))
  await prompt(page).press("Enter")
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor()
  // Large enough to be stored outside the log.
  const buffer = Buffer.alloc(100_000, "image")
  await page.getByLabel("Files to attach").setInputFiles([
    { name: "photo.png", mimeType: "image/png", buffer },
    { name: "plan.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4") },
  ])
  await prompt(page).fill("what is this?")
  await prompt(page).press("Enter")
  await queue(page).getByText("what is this?").waitFor()
  await page.getByRole("button", { name: "Take back" }).click()
  await expect.poll(() => prompt(page).inputValue()).toBe("what is this?")
  const attachments = page.getByRole("list", { name: "Attachments" })
  await attachments.getByText("97.7 KiB, image").waitFor()
  await attachments.getByText("plan.pdf").waitFor()
  await prompt(page).press("Escape")
})

it("a document of a prompt can be saved from the conversation, with its name and its bytes", async () => {
  const script = await scripted(api, "documents", textAnswer("Read them."))
  const { page } = await openConsole({ at: "#/" })
  await page.getByLabel("What should be done?").fill(promptFor(script))
  const pdf = Buffer.from("%PDF-1.4\n\u00ff", "latin1")
  await page
    .getByLabel("Files to attach")
    .setInputFiles([{ name: "plan.pdf", mimeType: "application/pdf", buffer: pdf }])
  await page.getByRole("button", { name: "Start" }).click()
  await messages(page).getByText("Read them.").waitFor()
  const saved = await downloaded(page, () => messages(page).getByRole("link", { name: "plan.pdf" }).click())
  expect(saved).toEqual({ name: "plan.pdf", bytes: pdf })
})

/** What a browser lacks in a page that came over plain HTTP from another machine. */
const WITHOUT_SECURE_CONTEXT = `
delete Crypto.prototype.randomUUID
Object.defineProperty(Crypto.prototype, "subtle", { value: undefined })
Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined })`

it("works in a page that came over plain HTTP from another machine", async () => {
  const { page } = await openConsole({ at: "#/" })
  await page.addInitScript({ content: WITHOUT_SECURE_CONTEXT })
  await page.reload()
  const script = await scripted(api, "plain", textAnswer("Read it."), textAnswer("Read both."))
  await page.getByLabel("What should be done?").fill(promptFor(script))
  await page.getByLabel("Files to attach").setInputFiles([attached("data.csv", "first")])
  await page.getByRole("button", { name: "Start" }).click()
  await messages(page).getByText("Read it.").waitFor()
  await page.getByLabel("Files to attach").setInputFiles([attached("data.csv", "again")])
  await prompt(page).fill("and now?")
  await prompt(page).press("Enter")
  await messages(page).getByText("Read both.").waitFor()
  await page.getByRole("button", { name: "Message actions" }).first().click()
  await page.getByRole("menuitem", { name: "Copy the text" }).click()
  await messages(page).getByText("Copied", { exact: true }).waitFor()
  await prompt(page).focus()
  await page.keyboard.press("Control+v")
  await expect.poll(() => prompt(page).inputValue()).toContain(promptFor(script))
})
