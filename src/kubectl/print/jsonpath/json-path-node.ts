/** One step of a path. Steps in braces form a list; between braces is text. */
export type PathNode =
  | { readonly type: "list"; readonly nodes: PathNode[] }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "identifier"; readonly name: string }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: number }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "wildcard" }
  | { readonly type: "recursive" }
  | { readonly type: "union"; readonly lists: readonly PathList[] }
  | SliceNode
  | FilterNode;

export type PathList = Extract<PathNode, { readonly type: "list" }>;

export interface SliceNode {
  readonly type: "slice";
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly step: number | undefined;
  /** Whether only the start was given: one item alone. */
  readonly isOne: boolean;
}

export interface FilterNode {
  readonly type: "filter";
  readonly left: PathList;
  readonly operator: string;
  readonly right: PathList;
}
