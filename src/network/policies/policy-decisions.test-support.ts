import { mustRun } from "../../platform/run-child.ts";
import { families } from "./family.ts";

/**
 * What the tables of a network namespace decide for each isolated address: the rules of its chains, with the elements
 * in place of the names of sets, and the rules that all packets pass.
 */
export async function policyDecisions(namespace: string): Promise<readonly string[]> {
  const args = (family: string) => ["nft", "list", "table", family, "wherry-policies"];
  const listings = await Promise.all(
    families.map((family) => mustRun("nsenter", [`--net=${namespace}`, ...args(family)])),
  );
  return listings.flatMap(decisions);
}

function decisions(listing: string): readonly string[] {
  const blocks = new Map<string, string>();
  for (const [, name = "", body = ""] of listing.matchAll(
    /\t(?:set|map|chain) (\S+) \{\n(.*?)\n\t\}/gs,
  ))
    blocks.set(name, body);
  const elements = (name: string): readonly string[] => {
    const list = /elements = \{(.*)\}/s.exec(blocks.get(name) ?? "")?.[1] ?? "";
    return list
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .toSorted();
  };
  const rules = (chain: string): string =>
    (blocks.get(chain) ?? "missing")
      .split("\n")
      .map((rule) =>
        rule
          .trim()
          .replace(/@((?:peers|ports)-\d+)/g, (_, set: string) => `{${elements(set).join()}}`),
      )
      .toSorted()
      .join("; ");
  const maps = [...blocks.keys()].filter((name) => /^(in|e)gress(-replies)?$/.test(name));
  return [
    ...["forward", "replies"].map((chain) => `${chain}: ${rules(chain)}`),
    `own: ${elements("own").join()}`,
    ...maps.toSorted().flatMap((map) =>
      elements(map).map((element) => {
        const [address, chain = ""] = element.split(" : jump ");
        return `${map} ${address}: ${rules(chain)}`;
      }),
    ),
  ];
}
