/** Splits a command line at spaces, as a shell does: quotes keep spaces, a backslash the next character. */
export function splitCommandLine(line: string): string[] {
  const args: string[] = [];
  let current: string | undefined;
  for (const [token] of line.matchAll(tokens)) {
    if (/^\s+$/.test(token)) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else current = (current ?? "") + unquoted(token);
  }
  if (current !== undefined) args.push(current);
  return args;
}

/** Spaces, a quoted text, an escaped character, or text without any of them. */
const tokens = /\s+|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\]+|./gs;

function unquoted(token: string): string {
  if (token.startsWith("'") && token.length > 1) return token.slice(1, -1);
  if (token.startsWith('"') && token.length > 1)
    return token.slice(1, -1).replaceAll(/\\(["\\$`])/g, "$1");
  return token.startsWith("\\") ? token.slice(1) : token;
}
