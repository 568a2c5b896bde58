// The model of assistant messages that the server writes itself, such as an error or a command's answer.

/** As in the official SDK. Such a message belongs to no model request. */
export const SYNTHETIC_MODEL = "<synthetic>"
