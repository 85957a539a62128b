/** A query as Go's clients write it: in the order of names, blanks as plus signs, and more characters escaped. */
export function goQuery(query: string, more: Readonly<Record<string, string>> = {}): string {
  const pairs = [...new URLSearchParams(query), ...Object.entries(more)];
  return pairs
    .map(([name, value]) => [name, `${escaped(name)}=${escaped(value)}`] as const)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([, text]) => text)
    .join("&");
}

/** A path as Go's clients write it: it escapes other characters than JavaScript does. */
export const goPath = (path: string): string =>
  escapedMore(encodeURI(decodedPath(path)).replaceAll(/[?#[\]]/g, encodeURIComponent));

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const escaped = (text: string): string =>
  escapedMore(encodeURIComponent(text)).replaceAll("%20", "+");

const escapedMore = (text: string): string =>
  text.replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
