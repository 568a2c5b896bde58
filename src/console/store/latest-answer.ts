// Reads of one thing that may overlap: receives their requests in the order of sending, and passes on the answers.
// Invariant: an answer that arrives after the answer to a later request is dropped, so what is shown never goes back in time.

export class LatestAnswer<A> {
  readonly #take: (answer: A) => void
  #sent = 0
  #taken = 0

  constructor(take: (answer: A) => void) {
    this.#take = take
  }

  /** Waits for the answer to a request that was just sent. Rejects with the error of the request. */
  async of(request: Promise<A>): Promise<void> {
    this.#sent += 1
    const number = this.#sent
    const answer = await request
    if (number < this.#taken) return
    this.#taken = number
    this.#take(answer)
  }
}
