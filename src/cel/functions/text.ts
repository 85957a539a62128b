/** Splits a text at a separator, into at most so many parts; -1 is without limit. */
export function splitText(text: string, separator: string, count: bigint): string[] {
  if (count === 0n) return [];
  const parts = separator === "" ? [...text] : text.split(separator);
  if (count < 0n || BigInt(parts.length) <= count) return parts;
  const most = Number(count);
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

/** Replaces a part of a text, at most so many times; -1 is without limit. */
export function replaceText(
  text: string,
  old: string,
  { next, count }: { readonly next: string; readonly count: bigint },
): string {
  if (old !== "") {
    const parts = text.split(old);
    const replaced = count < 0n || count > BigInt(parts.length) ? parts.length : Number(count);
    const head = parts.slice(0, replaced + 1).join(next);
    return [head, ...parts.slice(replaced + 1)].join(old);
  }
  const characters = [...text];
  const most = count < 0n ? characters.length + 1 : Number(count);
  let out = "";
  for (let i = 0; i <= characters.length; i++)
    out += (i < most ? next : "") + (characters[i] ?? "");
  return out;
}

/** A text without the white space around it, as Unicode has it. */
export const trimText = (text: string): string =>
  text.replace(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, "");
