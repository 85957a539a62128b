import { debugMessages } from "./debug-messages.ts";

/** The log level of source files whose name matches a pattern. */
export interface FileLevel {
  readonly filePattern: string;
  readonly verbosity: number;
}

/** From this level on, debug messages are logged. */
export const debugLevel = 4;

/** Which debug messages are logged where only some files have that level. */
export function debuggedMessages(
  levels: readonly FileLevel[],
  messages: typeof debugMessages = debugMessages,
): ReadonlySet<string> {
  const patterns = levels.map(({ filePattern, verbosity }) => ({
    isPath: filePattern.includes("/"),
    regexp: globRegexp(filePattern),
    verbosity,
  }));
  const logged = Object.entries(messages).filter(([path]) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    // The first pattern that matches decides.
    const found = patterns.find(({ isPath, regexp }) => regexp.test(isPath ? path : name));
    return found !== undefined && found.verbosity >= debugLevel;
  });
  return new Set(logged.flatMap(([, ofFile]) => ofFile));
}

/** A pattern in which * stands for any characters but slashes, and ? for one. */
function globRegexp(pattern: string): RegExp {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}$`);
}
