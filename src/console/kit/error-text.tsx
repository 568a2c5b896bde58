// The sentence of an error, announced when it appears.
export const ErrorText = ({ error }: { readonly error: string | null }) =>
  error === null ? null : (
    <p class="error" role="alert">
      {error}
    </p>
  )
