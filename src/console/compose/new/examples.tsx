// Help for the first minutes: prompts that work with any model, including the offline one, and a link to the documentation.

const EXAMPLES: ReadonlyArray<string> = [
  "Create notes.txt with the text: hello from Perch. Then read notes.txt.",
  "Run `ls -la /workspace && date`",
  "Create todo.md with the text: water the plants. Then list the files.",
]

export const Examples = ({ onChoose }: { readonly onChoose: (prompt: string) => void }) => (
  <section class="examples" aria-label="Examples">
    <p class="soft">
      New here? Try one of these, or read <a href="/docs">the documentation</a>.
    </p>
    <ul>
      {EXAMPLES.map((prompt) => (
        <li key={prompt}>
          <button type="button" onClick={() => onChoose(prompt)}>
            {prompt}
          </button>
        </li>
      ))}
    </ul>
  </section>
)
