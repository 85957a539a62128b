/** Whether a name is a word of the language, and so cannot be written as a name. */
export function isReservedName(name: string): boolean {
  return reserved.has(name);
}

/** A name as an expression writes it; `undefined` if there is no way to write it. */
export function escapeName(name: string): string | undefined {
  if (name === "" || /^[0-9]/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  if (/[^a-zA-Z0-9_./-]/.test(name)) return undefined;
  return name.replaceAll(/__|[-./]/g, (part) => `__${escapes[part]}__`);
}

/** The name that an expression wrote with escapes; `undefined` if one of them is none. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes("__")) return escaped;
  let isKnown = true;
  const name = escaped.replaceAll(/__[^_]+?__/g, (part) => {
    const inside = part.slice(2, -2);
    const plain = unescapes.get(inside);
    if (plain !== undefined) return plain;
    // A reserved word is escaped as a whole only.
    if (!reserved.has(inside) || part !== escaped) isKnown = false;
    return inside;
  });
  return isKnown ? name : undefined;
}

const escapes: Readonly<Record<string, string>> = {
  __: "underscores",
  ".": "dot",
  "-": "dash",
  "/": "slash",
};

const unescapes: ReadonlyMap<string, string> = new Map(
  Object.entries(escapes).map(([plain, word]) => [word, plain]),
);

const reserved: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package " +
    "namespace return var void while"
  ).split(" "),
);
