import type { DnsConfig } from "../../../cri/linux-types.ts";

/** Parses a resolver file. Throws if a line has no name server. */
export function parseResolvConf(text: string): DnsConfig {
  const servers: string[] = [];
  let searches: readonly string[] = [];
  /** Each option by its name: the last one counts. */
  const options = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [keyword = "", ...values] = line.trim().split(/\s+/);
    if (keyword === "nameserver") {
      if (values[0] === undefined)
        throw new Error(
          "Encountered error while parsing resolv conf file. Error: nameserver list is empty ",
        );
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
