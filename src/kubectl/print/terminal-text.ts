/** A text of others as it may be written to a terminal, without sequences that would control it. */
export const terminalText = (text: string): string =>
  text.replaceAll("\u001b", "^[").replaceAll("\r", "\\r");
