/** An error in one line: its message, followed by those of its causes that it does not end with already. */
export function errorMessage(error: unknown): string {
  let text = "";
  let cause = error;
  for (let depth = 0; cause !== undefined && depth < mostCauses; depth++) {
    const message = cause instanceof Error ? cause.message || cause.name : String(cause);
    if (depth === 0) text = message;
    else if (text !== message && !text.endsWith(`: ${message}`)) text += `: ${message}`;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return text;
}

/** A chain of causes may be circular. */
const mostCauses = 8;
