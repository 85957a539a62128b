import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from "js-yaml";
import { yamlProblem } from "./yaml-problem.ts";

/** A text that is no YAML, or that no JSON can express; the message is Go's, without `yaml: `. */
export class YamlError extends SyntaxError {
  override readonly name = "YamlError";
}

/** What a scalar looked like in the text. */
export type YamlTreeStyle = "plain" | "single" | "double" | "literal" | "folded";

interface ScalarTree {
  readonly kind: "scalar";
  readonly at: number;
  readonly text: string;
  readonly tag: string;
  readonly style: YamlTreeStyle;
}
interface CollectionTree {
  readonly kind: "sequence" | "mapping";
  readonly at: number;
  readonly tag: string;
  readonly flow: boolean;
  /** Items; of a mapping, keys and values in turn. */
  readonly children: YamlTree[];
}
interface AliasTree {
  readonly kind: "alias";
  readonly at: number;
  readonly anchor: string;
  readonly target: YamlTree;
}

/** A node of a document, as it stands in the text: nothing is resolved but aliases. */
export type YamlTree = ScalarTree | CollectionTree | AliasTree;

/** The first document, with aliases bound to what they refer to; throws a YamlError. */
export function readTree(text: string): YamlTree | undefined {
  const anchors = new Map<string, YamlTree>();
  const open: CollectionTree[] = [];
  let root: YamlTree | undefined;
  let at = 0;
  for (const event of readEvents(text)) {
    if (event.type === EVENT_ID.POP) open.pop();
    else if (event.type === EVENT_ID.DOCUMENT) {
      if (root !== undefined) return root;
    } else {
      const tree = treeOf(text, event, { anchors, at });
      at = tree.at;
      open.at(-1)?.children.push(tree);
      root ??= tree;
      if (tree.kind === "sequence" || tree.kind === "mapping") open.push(tree);
      if (tree.kind !== "alias" && event.anchorStart >= 0) {
        anchors.set(text.slice(event.anchorStart, event.anchorEnd), tree);
      }
    }
  }
  return root;
}

function readEvents(text: string): Event[] {
  try {
    return parseEvents(text, { maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw failure(yamlProblem(text, error), error);
  }
}

type NodeEvent = Exclude<Event, { type: typeof EVENT_ID.POP | typeof EVENT_ID.DOCUMENT }>;

function treeOf(
  text: string,
  event: NodeEvent,
  { anchors, at }: { anchors: ReadonlyMap<string, YamlTree>; at: number },
): YamlTree {
  if (event.type === EVENT_ID.ALIAS) {
    const anchor = text.slice(event.anchorStart, event.anchorEnd);
    const target = anchors.get(anchor);
    if (target === undefined) throw failure(`unknown anchor '${anchor}' referenced`);
    return { kind: "alias", at: event.anchorStart, anchor, target };
  }
  const tag = event.tagStart < 0 ? "" : shortTag(text.slice(event.tagStart, event.tagEnd));
  if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) {
    const kind = event.type === EVENT_ID.SEQUENCE ? "sequence" : "mapping";
    const flow = event.style === COLLECTION_STYLE.FLOW;
    return { kind, at: event.start, tag, flow, children: [] };
  }
  const block = event.style >= SCALAR_STYLE.LITERAL_BLOCK;
  return {
    kind: "scalar",
    // A block scalar begins on the line of its indicator, an empty one where the last node did.
    at: event.valueStart < 0 ? at : event.valueStart - (block ? 1 : 0),
    text: getScalarValue(text, event),
    tag,
    style: styles.get(event.style) ?? "plain",
  };
}

const styles: ReadonlyMap<number, YamlTreeStyle> = new Map<number, YamlTreeStyle>([
  [SCALAR_STYLE.SINGLE_QUOTED, "single"],
  [SCALAR_STYLE.DOUBLE_QUOTED, "double"],
  [SCALAR_STYLE.LITERAL_BLOCK, "literal"],
  [SCALAR_STYLE.FOLDED_BLOCK, "folded"],
]);

/** How deep a document may be nested. */
export const maxDepth = 1000;

function shortTag(tag: string): string {
  const name = tag.startsWith("!<") ? tag.slice(2, -1) : tag;
  const prefix = "tag:yaml.org,2002:";
  return name.startsWith(prefix) ? `!!${name.slice(prefix.length)}` : name;
}

/** The error of a text that cannot be read. */
export function failure(message: string, cause?: unknown): SyntaxError {
  return new YamlError(message, { cause });
}
