import { quote } from "../../../schema/values/quote.ts";
import { readTree, type YamlTree } from "../../../schema/yaml/yaml-tree.ts";

/** The keys that stand twice in a mapping of a text, with the lines on which they do. */
export function repeatedKeys(text: string): string[] {
  const problems: string[] = [];
  const lineOf = (at: number): number => text.slice(0, at).split("\n").length;
  const visit = (tree: YamlTree | undefined): void => {
    if (tree === undefined || tree.kind === "scalar" || tree.kind === "alias") return;
    const before = problems.length;
    if (tree.kind === "mapping") {
      for (const [first, second] of pairsOf(tree.children)) {
        const name = quote(first.kind === "scalar" ? first.text : "");
        problems.push(
          `line ${lineOf(second.at)}: mapping key ${name} already defined at line ${lineOf(first.at)}`,
        );
      }
    }
    if (problems.length === before) for (const child of tree.children) visit(child);
  };
  visit(readTree(text));
  return problems;
}

function pairsOf(children: readonly YamlTree[]): [YamlTree, YamlTree][] {
  const keys = children.filter((_, i) => i % 2 === 0);
  return keys.flatMap((first, i) =>
    keys
      .slice(i + 1)
      .filter((other) => sameKey(first, other))
      .map((other): [YamlTree, YamlTree] => [first, other]),
  );
}

const sameKey = (a: YamlTree, b: YamlTree): boolean =>
  a.kind === "scalar" && b.kind === "scalar" && a.text === b.text;
