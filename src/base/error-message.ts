/** What went wrong in one line: an error's message, and those of its causes. */
export function errorMessage(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause !== undefined && messages.length < mostCauses; ) {
    messages.push(cause instanceof Error ? cause.message || cause.name : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.join(": ");
}

/** A chain of causes may be a circle. */
const mostCauses = 8;
