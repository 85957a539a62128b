/** A character as Go's %#U writes it: `U+0023 '#'`, and without itself where it cannot be seen. */
export function namedCharacter(char: string): string {
  const code = char.codePointAt(0);
  // What follows the last character is -1 in Go.
  if (code === undefined) return "U+FFFFFFFFFFFFFFFF";
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return printable.test(char) ? `${name} '${char}'` : name;
}

const printable = /^(?: |[^\p{C}\p{Z}])$/u;
