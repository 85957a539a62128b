/** Fills lines with words. Indented lines stay as they are; empty lines, lists and what follows a colon begin anew. */
export function fillLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let words: string[] = [];
  let lastWord = "";
  const flush = (): void => {
    if (words.length === 0) return;
    lastWord = "";
    lines.push(words.join(" "));
    words = [];
  };
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (line.startsWith("    ")) {
      flush();
      lines.push(line);
      continue;
    }
    if (lines.length > 0 && trimmed === "") {
      flush();
      lines.push("");
      continue;
    }
    if (lastWord.endsWith(":") || trimmed === "" || bullet.test(trimmed)) flush();
    for (const word of trimmed.split(/\s+/).filter((one) => one !== "")) {
      lastWord = word;
      if (words.length > 0 && [...words, word].join(" ").length > width) flush();
      words.push(word);
    }
  }
  flush();
  return lines;
}

const bullet = /^(\d+\.?|-|\*)\s/;
