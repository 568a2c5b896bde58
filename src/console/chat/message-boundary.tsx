// An error boundary: a message that can't be rendered does not affect the others.
import { Component, type ComponentChildren } from "preact"

interface BoundaryProps {
  readonly id: string
  readonly children: ComponentChildren
}

export class MessageBoundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static override getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    console.error(`The message ${this.props.id} could not be shown.`, error)
  }

  override render({ children }: BoundaryProps): ComponentChildren {
    if (!this.state.hasFailed) return children
    return (
      <p class="message-error">
        This message could not be shown. <button onClick={() => this.setState({ hasFailed: false })}>Try again</button>
      </p>
    )
  }
}
