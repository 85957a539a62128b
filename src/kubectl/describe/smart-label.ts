const acronyms = new Set(["API", "URL", "UID", "GUID"]);

/** The name of a field in words: `podCIDRs` is `Pod CIDRs`. Names with other characters stay as they are. */
export function smartLabel(field: string): string {
  if (!/^[\p{L}-]*$/u.test(field)) return field;
  const words: string[] = [];
  const parts = camelCaseParts(field);
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? "";
    const next = parts[at + 1] ?? "";
    // An acronym that ends with a lower letter was split before its last capital.
    if ([...part].length >= 2 && !/[^\p{Lu}\P{L}]/u.test(part) && /^\p{Lu}/u.test(next)) {
      words.push(part + next);
      at++;
    } else words.push(part);
  }
  return words.map(titled).join(" ");
}

function titled(word: string): string {
  if (acronyms.has(word.toUpperCase())) return word.toUpperCase();
  if (word !== word.toLowerCase()) return word;
  const [first = "", ...rest] = word;
  return first.toUpperCase() + rest.join("");
}

/** Runs of lower letters, of capitals and of other characters; the last capital goes with what follows. */
function camelCaseParts(text: string): string[] {
  const runs = text.match(/\p{Ll}+|\p{Lu}+|[^\p{Ll}\p{Lu}]+/gu) ?? [];
  const parts = [...runs] as string[];
  for (let at = 0; at < parts.length - 1; at++) {
    const letters = [...(parts[at] ?? "")];
    if (!/^\p{Lu}/u.test(letters[0] ?? "") || !/^\p{Ll}/u.test(parts[at + 1] ?? "")) continue;
    parts[at + 1] = `${letters.pop()}${parts[at + 1]}`;
    parts[at] = letters.join("");
  }
  return parts.filter((part) => part !== "");
}
