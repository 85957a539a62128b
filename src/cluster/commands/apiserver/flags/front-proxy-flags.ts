import { stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { optionFlag } from "./apiserver-flag.ts";

/** The flags about front proxies that name the users of requests. */
export const frontProxyFlags = {
  "requestheader-client-ca-file": stringFlag({
    usage:
      "a `FILE` with CA certificates of front proxies, which name the user of a request in its headers (default: the cluster's own, whose proxy is this server itself)",
  }),
  "requestheader-allowed-names": headerNames("the common names of front proxies (default: any)"),
  "requestheader-username-headers": headerNames("headers with the user, such as X-Remote-User"),
  "requestheader-uid-headers": headerNames("headers with the user's UID", "X-Remote-Uid"),
  "requestheader-group-headers": headerNames("headers with groups, such as X-Remote-Group"),
  "requestheader-extra-headers-prefix": headerNames(
    "the prefixes of headers with more about the user, such as X-Remote-Extra-",
  ),
} as const;

/** The flag values that are read together. */
export interface FrontProxyValues {
  readonly "requestheader-client-ca-file": string;
  readonly "requestheader-allowed-names": readonly string[];
  readonly "requestheader-username-headers": readonly string[];
  readonly "requestheader-uid-headers": readonly string[];
  readonly "requestheader-group-headers": readonly string[];
  readonly "requestheader-extra-headers-prefix": readonly string[];
}

/** The options of these flags, if an authority is given: without one they describe no proxy. */
export function frontProxyOptions(flags: FrontProxyValues) {
  const flag = "requestheader-client-ca-file";
  const path = flags[flag];
  if (path === "") return {};
  return {
    serving: { proxyCa: { flag, path } },
    frontProxies: {
      allowedNames: flags["requestheader-allowed-names"],
      usernameHeaders: flags["requestheader-username-headers"],
      uidHeaders: flags["requestheader-uid-headers"],
      groupHeaders: flags["requestheader-group-headers"],
      extraHeadersPrefix: flags["requestheader-extra-headers-prefix"],
    },
    warnings: frontProxyWarnings(flags),
  };
}

const standard = {
  "requestheader-username-headers": ["X-Remote-User header"],
  "requestheader-group-headers": ["X-Remote-Group header"],
  "requestheader-extra-headers-prefix": ["X-Remote-Extra- header prefix"],
} as const;

/** Extension servers are called with the standard headers, so that they must know them. */
function frontProxyWarnings(flags: FrontProxyValues): string[] {
  return Object.entries(standard).flatMap(([flag, [what]]) => {
    const names = flags[flag as keyof typeof standard];
    const [header = ""] = what.split(" ");
    if (names.length === 0 || hasName(names, header)) return [];
    return [
      `--${flag} is set without specifying the standard ${what} - API aggregation will not work`,
    ];
  });
}

const hasName = (names: readonly string[], wanted: string): boolean =>
  names.some((name) => name.toLowerCase() === wanted.toLowerCase());

function headerNames(usage: string, needed?: string) {
  return optionFlag(stringsFlag({ usage }), {
    problems(names, flag) {
      if (names.some((name) => name.trim() === "")) return [`empty value in ${quote(flag)}`];
      if (needed === undefined || names.length === 0 || hasName(names, needed)) return [];
      return [
        `--${flag} is set without specifying the standard ${needed} header - API aggregation will not work`,
      ];
    },
  });
}
