import { errorMessage } from "../../../base/error-message.ts";
import type { DnsConfig } from "../../../cri/linux-types.ts";
import { quote } from "../../../schema/values/quote.ts";

// What resolvers of the C library can take.
export const maxServers = 3;
export const maxSearches = 32;
export const maxSearchList = 2048;
/** Some versions of glibc abort at a longer one. */
export const maxSearchLength = 253;

/** Parses a resolver file. Throws if a line has no name server. */
export function parseResolvConf(text: string): DnsConfig {
  const servers: string[] = [];
  let searches: readonly string[] = [];
  /** Each option by its name: the last one counts. */
  const options = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [keyword = "", ...values] = line.trim().split(/\s+/);
    if (keyword === "nameserver") {
      if (values[0] === undefined) throw new Error("nameserver list is empty ");
      servers.push(values[0]);
    }
    // The last line counts. A domain with and without a dot at its end is the same.
    if (keyword === "search")
      searches = values.filter((value) => value !== ".").map((value) => value.replace(/\.$/, ""));
    if (keyword === "options")
      for (const option of values) options.set(option.split(":", 1)[0] ?? "", option);
  }
  return { servers, searches, options: [...options.values()] };
}

export interface ResolvConfFile {
  readonly path: string;
  readonly text: string;
  /** The domain of the cluster, whose three search domains are added for pods; empty if there is none. */
  readonly clusterDomain: string;
}

/** What makes a resolver file useless for pods; undefined if nothing does. */
export function resolvConfProblem({
  path,
  text,
  clusterDomain,
}: ResolvConfFile): string | undefined {
  let searches: readonly string[];
  try {
    ({ searches } = parseResolvConf(text));
  } catch (error) {
    return errorMessage(error);
  }
  const most = clusterDomain === "" ? maxSearches : maxSearches - 3;
  if (searches.length > most)
    return `Resolv.conf file '${path}' contains search line consisting of more than ${most} domains!`;
  if (searches.some((search) => search.length > maxSearchLength))
    return `Resolv.conf file ${quote(path)} contains a search path which length is more than allowed ${maxSearchLength} chars!`;
  if (searches.join(" ").length > maxSearchList)
    return `Resolv.conf file '${path}' contains search line which length is more than allowed ${maxSearchList} chars!`;
  return undefined;
}
