import type { Tree } from "./syntax-tree.ts";
import type { Token } from "./token.ts";

/** The tree that counts: those around it that say nothing of their own are left out. */
export function innermost(outer: Tree | undefined): Tree | undefined {
  let tree = outer;
  while (tree !== undefined) {
    const isPlain = transparent.has(tree.label) && !tree.parts.has("op") && !tree.parts.has("ops");
    if (!isPlain) return tree;
    tree = treeIn(tree, "e");
  }
  return undefined;
}

/** The kinds of trees that say something only by an operator, if at all. */
const transparent: ReadonlySet<string> = new Set([
  "Start",
  "Expr",
  "ConditionalOr",
  "ConditionalAnd",
  "Relation",
  "Calc",
  "MemberExpr",
  "PrimaryExpr",
  "Nested",
  "ConstantLiteral",
]);

/** The name that a tree spells; quoted ones are not supported. */
export function readName(tree: Tree | undefined): { name: string } | { error: string } {
  if (tree?.label === "SimpleIdentifier") return { name: tokenIn(tree, "id")?.text ?? "" };
  if (tree?.label === "EscapedIdentifier") return { error: "unsupported syntax: '`'" };
  return { error: "unsupported ident kind" };
}

/** The tokens of a tree that the grammar names so. */
export function tokensIn(tree: Tree, name: string): Token[] {
  return (tree.parts.get(name) ?? []).filter((part) => "text" in part);
}

/** The trees in a tree that the grammar names so. */
export function treesIn(tree: Tree, name: string): Tree[] {
  return (tree.parts.get(name) ?? []).filter((part) => "rule" in part);
}

/** The only or first of them. */
export const tokenIn = (tree: Tree, name: string): Token | undefined => tokensIn(tree, name)[0];
export const treeIn = (tree: Tree, name: string): Tree | undefined => treesIn(tree, name)[0];
