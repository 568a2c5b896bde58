// A new secret: shown until it is dismissed, and never again.
import { keepFocus } from "../app/keep-focus.ts"
import { CopyButton } from "../kit/copy-button.tsx"
import { intoView } from "../kit/into-view.ts"

interface SecretShownProps {
  readonly about: string
  readonly secret: string
  readonly onDone: () => void
}

export const SecretShown = ({ about, secret, onDone }: SecretShownProps) => (
  <section key={secret} ref={intoView} class="secret" aria-label="New secret" role="status">
    <p>The secret of {about} is shown once. Copy it now.</p>
    <code>{secret}</code>
    <p class="place-actions">
      <CopyButton label="Copy the secret" text={secret} />
      <button
        onClick={() => {
          const restoreFocus = keepFocus()
          onDone()
          restoreFocus()
        }}
      >
        Done
      </button>
    </p>
  </section>
)
