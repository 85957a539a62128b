/** An error in one line: its message, followed by those of its causes. */
export function errorMessage(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause !== undefined && messages.length < mostCauses; ) {
    messages.push(cause instanceof Error ? cause.message || cause.name : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.join(": ");
}

/** A chain of causes may be circular. */
const mostCauses = 8;
