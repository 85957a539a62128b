/** Warnings as headers, each once, in the form of RFC 7234; cut short where they are too much together. */
export function warningHeaders(warnings: readonly string[]): { warning?: readonly string[] } {
  if (warnings.length === 0) return {};
  const texts = [...new Set(warnings)].filter((text) => text !== "" && !/\p{Cc}/u.test(text));
  return { warning: fitting(texts).map(headerOf) };
}

/** How many characters may be sent whole, and to how many each is cut when there are more. */
const wholeLength = 4 * 1024;
const cutLength = 256;

const headerOf = (text: string): string =>
  `299 - "${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

function fitting(texts: readonly string[]): readonly string[] {
  let length = 0;
  const tooMany = texts.findIndex((text) => {
    length += [...text].length;
    return length > wholeLength;
  });
  if (tooMany < 0) return texts;
  const cut: string[] = [];
  let written = 0;
  for (const [index, text] of texts.entries()) {
    // Those up to the first that does not fit are sent in any case, as upstream does.
    if (index > tooMany && written >= wholeLength) break;
    const characters = [...text].slice(0, cutLength);
    cut.push(characters.join(""));
    written += characters.length;
  }
  return cut;
}
