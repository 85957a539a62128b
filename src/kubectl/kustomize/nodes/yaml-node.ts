/** What a node is; `none` is one that was made for a value to come. */
export type NodeKind = "none" | "scalar" | "mapping" | "sequence";

/** How a scalar is quoted, and whether a collection stands on one line. */
export type NodeStyle = "plain" | "single" | "double" | "literal" | "folded" | "flow";

export const tags = {
  string: "!!str",
  null: "!!null",
  int: "!!int",
  float: "!!float",
  bool: "!!bool",
  timestamp: "!!timestamp",
  binary: "!!binary",
  merge: "!!merge",
  map: "!!map",
  seq: "!!seq",
} as const;

interface NodeFields {
  readonly kind: NodeKind;
  readonly tag?: string;
  readonly value?: string;
  readonly style?: NodeStyle;
  readonly content?: YamlNode[];
}

/**
 * A node of a YAML document that can be changed: quoting and the type of scalars are kept, because
 * what a transformation makes of a value depends on them.
 */
export class YamlNode {
  kind: NodeKind;
  /** The type as far as it is known; empty where the text decides. */
  tag: string;
  value: string;
  style: NodeStyle;
  /** Whether the text names the tag. */
  tagged = false;
  /** Items; of a mapping, keys and values in turn. */
  content: YamlNode[];
  /** A null that a merge leaves in place. */
  keep = false;

  constructor({ kind, tag = "", value = "", style = "plain", content = [] }: NodeFields) {
    this.kind = kind;
    this.tag = tag;
    this.value = value;
    this.style = style;
    this.content = content;
  }

  /** Becomes what another node is, in place. */
  assign(other: YamlNode): void {
    this.kind = other.kind;
    this.tag = other.tag;
    this.value = other.value;
    this.style = other.style;
    this.tagged = other.tagged;
    this.content = other.content;
  }

  /** A copy that shares nothing with this node. */
  copy(): YamlNode {
    const copy = new YamlNode(this);
    copy.tagged = this.tagged;
    copy.keep = this.keep;
    copy.content = this.content.map((node) => node.copy());
    return copy;
  }
}

/** A scalar whose type its text decides. */
export const scalarNode = (value: string): YamlNode => new YamlNode({ kind: "scalar", value });

/** A scalar that is a string, whatever its text. */
export const stringNode = (value: string): YamlNode => {
  const style = value.includes("\n") ? "literal" : "plain";
  return new YamlNode({ kind: "scalar", tag: tags.string, value, style });
};

export const mappingNode = (): YamlNode => new YamlNode({ kind: "mapping" });

/** Whether there is no node, or one that is null. */
export const isMissing = (node: YamlNode | undefined): boolean => present(node) === undefined;

/** A node that is there and not null. */
export const present = (node: YamlNode | undefined): YamlNode | undefined =>
  node?.tag === tags.null ? undefined : node;

/** Whether a node holds nothing: missing, or an empty collection. */
export function isEmpty(node: YamlNode | undefined): boolean {
  const there = present(node);
  if (there === undefined) return true;
  const { kind, content, tag, value } = there;
  if (kind === "none") return tag === "" && value === "" && content.length === 0;
  return kind !== "scalar" && content.length === 0;
}

/** Whether a node is a string, or a scalar whose type is open. */
export const isString = (node: YamlNode): boolean =>
  node.kind === "scalar" && (node.tag === tags.string || node.tag === "");

/** The text of a scalar; empty where there is none. */
export const textOf = (node: YamlNode | undefined): string => present(node)?.value ?? "";

/** The value of a key, whatever the node is. */
export function member(node: YamlNode | undefined, name: string): YamlNode | undefined {
  if (node?.kind !== "mapping") return undefined;
  const { content } = node;
  for (let i = 0; i + 1 < content.length; i += 2) {
    if (content[i]?.value === name) return content[i + 1];
  }
  return undefined;
}

/** Keys and values of a mapping. */
export function membersOf(node: YamlNode | undefined): [key: YamlNode, value: YamlNode][] {
  const pairs: [YamlNode, YamlNode][] = [];
  if (node?.kind !== "mapping") return pairs;
  for (let i = 0; i + 1 < node.content.length; i += 2) {
    pairs.push(node.content.slice(i, i + 2) as [YamlNode, YamlNode]);
  }
  return pairs;
}
