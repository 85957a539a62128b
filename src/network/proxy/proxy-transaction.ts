import type { ElementChange } from "./element-store.ts";
import { type Container, type Elements, type Family, families } from "./elements.ts";
import { chainRules } from "./pick-chain.ts";
import { type ProxyTableSettings, proxyTable, proxyTableRules } from "./proxy-table.ts";
import { stickySetLine } from "./sticky-sets.ts";

/** An input of `nft -f -`, and the chains that exist once it has been applied. */
export interface ProxyTransaction {
  readonly input: string;
  readonly chains: ReadonlySet<string>;
}

/** The table of a client's endpoint for as long as it stays there, as lines of nft. */
export type StickyLines = readonly string[];

/** The settings of the tables of both families. */
export type ProxyTables = Readonly<Record<Family, ProxyTableSettings>>;

/** Replaces all tables at once: with them exist what these elements need, and nothing else. */
export function wholeTransaction(
  tables: ProxyTables,
  elements: Elements,
  sticky: StickyLines = [],
): ProxyTransaction {
  const lines = families.flatMap((family) => proxyTableRules(family, tables[family]));
  const chains = new Set<string>();
  const added = new Map<Container, string[]>();
  for (const [container, entries] of inOrder(elements)) {
    const made = madeLines(container, entries);
    if (made) {
      lines.push(...made);
      continue;
    }
    lines.push(...newChains(container, entries.values(), chains));
    added.set(container, [...entries].map(elementText));
  }
  return { input: text([...lines, ...elementLines("add", added), ...sticky]), chains };
}

/** Applies changes to the tables. Chains that are no longer used stay until the tables are replaced. */
export function changeTransaction(
  changes: readonly ElementChange[],
  before: ReadonlySet<string>,
  sticky: StickyLines = [],
): ProxyTransaction {
  const chains = new Set(before);
  const lines: string[] = [];
  const unused: string[] = [];
  const deleted = new Map<Container, string[]>();
  const added = new Map<Container, string[]>();
  for (const { container, key, before: old, after } of inOrderOf(changes)) {
    if (isMade(container)) {
      if (after === undefined) unused.unshift(removalLine(container, key));
      else lines.push(...(madeLines(container, [[key, after]]) ?? []));
      continue;
    }
    if (old !== undefined) listOf(deleted, container).push(key);
    if (after === undefined) continue;
    lines.push(...newChains(container, [after], chains));
    listOf(added, container).push(elementText([key, after]));
  }
  return {
    input: text([
      ...lines,
      ...elementLines("delete", deleted),
      ...elementLines("add", added),
      ...sticky,
      // Nothing leads there any more.
      ...unused,
    ]),
    chains,
  };
}

/** Removes the tables, also where they do not exist. */
export const removalInput = (): string =>
  text(
    families.flatMap((family) => [
      `add table ${family} ${proxyTable}`,
      `delete table ${family} ${proxyTable}`,
    ]),
  );

const isMade = (container: Container): boolean => rank(container) < 2;

/** Sets come first, then the chains that use them. */
const rank = (container: Container): number =>
  container.endsWith(" sticky-sets") ? 0 : container.endsWith(" sticky-chains") ? 1 : 2;

const inOrder = (elements: Elements) => [...elements].sort(([a], [b]) => rank(a) - rank(b));

const inOrderOf = (changes: readonly ElementChange[]): readonly ElementChange[] =>
  changes.some(({ container }) => isMade(container))
    ? changes.toSorted((a, b) => rank(a.container) - rank(b.container))
    : changes;

/** The lines that make sets or chains; undefined for elements. */
function madeLines(
  container: Container,
  entries: Iterable<readonly [string, string]>,
): readonly string[] | undefined {
  if (!isMade(container)) return undefined;
  const family = container.startsWith("ip6 ") ? "ip6" : "ip";
  return [...entries].flatMap(([name, rules]) =>
    container.endsWith(" sticky-sets")
      ? [stickySetLine(family, name)]
      : [
          `add chain ${family} ${proxyTable} ${name}`,
          ...rules.split("\n").map((rule) => `add rule ${family} ${proxyTable} ${name} ${rule}`),
        ],
  );
}

function removalLine(container: Container, name: string): string {
  const [family = "", of = ""] = container.split(" ");
  return `delete ${of === "sticky-sets" ? "set" : "chain"} ${family} ${proxyTable} ${name}`;
}

/** The lines that add or delete elements. */
function elementLines(
  verb: "add" | "delete",
  lists: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [...lists].flatMap(([container, elements]) => {
    const [family = "", name = ""] = container.split(" ");
    const lines: string[] = [];
    for (let i = 0; i < elements.length; i += elementsPerLine) {
      const some = elements.slice(i, i + elementsPerLine).join(", ");
      lines.push(`${verb} element ${family} ${proxyTable} ${name} { ${some} }`);
    }
    return lines;
  });
}

/** Lines that a person can still read where nft quotes them in its errors. */
const elementsPerLine = 100;

function newChains(
  container: Container,
  verdicts: Iterable<string>,
  chains: Set<string>,
): readonly string[] {
  const family = container.startsWith("ip6 ") ? "ip6" : "ip";
  const lines: string[] = [];
  for (const verdict of verdicts) {
    if (!verdict.startsWith("goto ")) continue;
    const key = `${family} ${verdict}`;
    if (chains.has(key)) continue;
    const made = chainRules(verdict, family);
    if (!made) continue;
    chains.add(key);
    lines.push(`add chain ${family} ${proxyTable} ${made.chain}`);
    for (const rule of made.rules)
      lines.push(`add rule ${family} ${proxyTable} ${made.chain} ${rule}`);
  }
  return lines;
}

const elementText = ([key, value]: readonly [string, string]): string =>
  value === "" ? key : `${key} : ${value}`;

function listOf(lists: Map<Container, string[]>, container: Container): string[] {
  let list = lists.get(container);
  if (!list) {
    list = [];
    lists.set(container, list);
  }
  return list;
}

const text = (lines: readonly string[]): string =>
  lines.length === 0 ? "" : `${lines.join("\n")}\n`;
