// The sentence by which a request for a summary of the conversation is recognised: by the offline model, and by the loop that
// sends it.

export const SUMMARY_SENTENCE = "Write a detailed summary of this conversation for yourself."
