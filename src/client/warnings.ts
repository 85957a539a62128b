import type { TransportResponse } from "./transport.ts";

/** What a server warns of: the texts of the headers `Warning` with the code 299. */
export function warningTexts({ headers }: Pick<TransportResponse, "headers">): string[] {
  const given = headers.warning;
  if (given === undefined) return [];
  const texts: string[] = [];
  // Several may have been joined to one line.
  for (const line of typeof given === "string" ? [given] : given)
    for (const [, text = ""] of line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g))
      texts.push(text.replaceAll(/\\(.)/g, "$1"));
  return texts;
}
