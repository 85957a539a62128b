/**
 * A domain name as in a message, without compression: each label after a character that tells its length, and the
 * root at the end, which is empty. One character is one byte, so that any label can be held, compared and sliced.
 */
export type DnsName = string & { readonly $name?: true };

/** The root of all names. */
export const rootName: DnsName = "\0";

/** What a label and a whole name can have, in bytes. */
const longestLabel = 63;
export const longestName = 255;

/** The name of a text such as `web.example.com`, with or without a dot at the end; undefined if there is none. */
export function parseName(text: string): DnsName | undefined {
  const whole = text.endsWith(".") ? text.slice(0, -1) : text;
  if (whole === "") return text === "." ? rootName : undefined;
  return nameOfLabels(whole.split("."));
}

/** The name of labels; undefined if one is empty or has characters beyond a byte, or if they are too long. */
export function nameOfLabels(labels: readonly string[], above: DnsName = rootName) {
  let name = "";
  for (const label of labels) {
    if (label === "" || label.length > longestLabel || !oneByte.test(label)) return undefined;
    name += String.fromCharCode(label.length) + label;
  }
  return name.length + above.length > longestName ? undefined : name + above;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: labels may have any byte
const oneByte = /^[\x00-\xff]*$/;

/** The labels of a name, without the root. */
export function labelsOf(name: DnsName): string[] {
  const labels: string[] = [];
  for (let at = 0; at < name.length - 1; ) {
    const length = name.charCodeAt(at);
    labels.push(name.slice(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels;
}

/** A name in lower case, by which names are compared. Lengths are below the letters, and stay as they are. */
export const foldCase = (name: DnsName): DnsName =>
  hasUpper.test(name) ? name.replace(upper, (letters) => letters.toLowerCase()) : name;

const hasUpper = /[A-Z]/;
const upper = /[A-Z]+/g;

/** Whether a name is a zone's or below it; both in lower case. */
export function isWithin(name: DnsName, zone: DnsName): boolean {
  if (!name.endsWith(zone)) return false;
  // The end may be in the middle of a label.
  const start = name.length - zone.length;
  let at = 0;
  while (at < start) at += 1 + name.charCodeAt(at);
  return at === start;
}

/** A name as zone files write it, with a dot at the end. */
export function nameText(name: DnsName): string {
  const labels = labelsOf(name).map((label) =>
    label.replace(special, (character) => {
      const code = character.charCodeAt(0);
      return code > 0x20 && code < 0x7f ? `\\${character}` : `\\${`${code}`.padStart(3, "0")}`;
    }),
  );
  return `${labels.join(".")}.`;
}

const special = /[^!#-'*+\-/-:<-?A-[\]-~]/g;
