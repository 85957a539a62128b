/** Warning headers in the form of RFC 7234: each text once, truncated when all together are too long. */
export function warningHeaders(warnings: readonly string[]): { warning?: readonly string[] } {
  if (warnings.length === 0) return {};
  const texts = [...new Set(warnings)].filter((text) => text !== "" && !control.test(text));
  if (texts.length === 0) return {};
  const kept = lengthOf(texts) <= mostInAll ? texts : shortened(texts);
  return { warning: kept.map((text) => `299 - "${text.replaceAll(/["\\]/g, "\\$&")}"`) };
}

/** All lengths are in characters, as Go counts them. */
const mostInAll = 4 * 1024;
const mostOfEach = 256;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds them
const control = /[\u0000-\u001f\u007f-\u009f]/;

const lengthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + runesIn(text), 0);

/** Truncates every text, and drops those that no longer fit. */
function shortened(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let length = 0;
  let whole = 0;
  for (const text of texts) {
    const cut = [...text].slice(0, mostOfEach).join("");
    // Upstream keeps the texts up to the one that exceeded the limit, even if they do not fit truncated.
    const isReplayed = whole <= mostInAll;
    whole += runesIn(text);
    if (!isReplayed && length >= mostInAll) break;
    kept.push(cut);
    length += runesIn(cut);
  }
  return kept;
}

const runesIn = (text: string): number => [...text].length;
