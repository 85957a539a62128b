/** Breaks lines at white space; a word that is too long gets a line of its own. Spaces at breaks are lost. */
export function wordWrap(text: string, limit: number): string {
  let out = "";
  let width = 0;
  let word = "";
  let space = "";
  const take = (): void => {
    width += space.length + [...word].length;
    out += space + word;
    space = "";
    word = "";
  };
  /** Spaces at the end of a line are kept where they fit. */
  const end = (): void => {
    if (word === "" && width + space.length > limit) space = "";
    take();
  };
  for (const char of text) {
    if (char === "\n") {
      end();
      out += char;
      width = 0;
    } else if (/[^\S\u00a0]/.test(char)) {
      if (space === "" || word !== "") take();
      space += char;
    } else {
      word += char;
      const length = [...word].length;
      if (width + length + space.length > limit && length < limit) {
        out += "\n";
        width = 0;
        space = "";
      }
    }
  }
  end();
  return out;
}

/** Puts spaces before each line. */
export function indented(text: string, amount: number): string {
  const spaces = " ".repeat(amount);
  return spaces + text.replaceAll("\n", `\n${spaces}`);
}
