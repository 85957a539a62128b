/** How a registry wants its callers to authenticate. */
export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Parses the header WWW-Authenticate, which may hold several challenges. */
export function parseChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  // A scheme is a word that is not followed by "="; everything else is a parameter of the scheme before it.
  const token =
    /\s*,?\s*(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([\w-]+)(?=\s|,|$))/gy;
  for (let match = token.exec(header); match !== null; match = token.exec(header)) {
    const [, name, quoted, plain, scheme] = match;
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: {} });
    const current = challenges.at(-1);
    if (name === undefined || current === undefined) continue;
    const value = quoted === undefined ? (plain ?? "") : quoted.replaceAll(/\\(.)/g, "$1");
    Object.defineProperty(current.parameters, name.toLowerCase(), { value, enumerable: true });
  }
  return challenges;
}
