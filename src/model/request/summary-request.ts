// The sentence that the loop sends to request a summary of the conversation, and by which the offline model recognizes the
// request.

export const SUMMARY_SENTENCE = "Write a detailed summary of this conversation for yourself."
