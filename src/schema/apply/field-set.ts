import { type Path, type PathElement, sortElements } from "./path-element.ts";

/**
 * A set of paths into an object, as a trie. A path is in the set when its last step is a member of
 * the node that the steps before lead to; `.spec` may be in it or not, whether or not `.spec.replicas`
 * is. Sets are not changed once they are made.
 *
 *     { .spec.replicas, .metadata.labels, .metadata.labels.app } =
 *       members {}, children { f:spec: { members { f:replicas } },
 *                              f:metadata: { members { f:labels },
 *                                            children { f:labels: { members { f:app } } } } }
 */
export interface FieldSet {
  readonly members: ReadonlySet<PathElement>;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

/** A set that is still being made. */
export interface FieldSetDraft extends FieldSet {
  readonly members: Set<PathElement>;
  /** Put there by `putChild`: most nodes have none, and share that. */
  children: ReadonlyMap<PathElement, FieldSetDraft>;
}

const childless: ReadonlyMap<PathElement, FieldSetDraft> = new Map();
export const draftSet = (): FieldSetDraft => ({ members: new Set(), children: childless });
export const emptySet: FieldSet = draftSet();

export function putChild(set: FieldSetDraft, element: PathElement, child: FieldSetDraft): void {
  if (set.children === childless) set.children = new Map();
  (set.children as Map<PathElement, FieldSetDraft>).set(element, child);
}

/** The node that a step leads to, made where there is none. */
function descend(set: FieldSetDraft, element: PathElement): FieldSetDraft {
  let child = set.children.get(element);
  if (!child) {
    child = draftSet();
    putChild(set, element, child);
  }
  return child;
}

export function setOf(paths: readonly Path[]): FieldSet {
  const set = draftSet();
  for (const path of paths) insert(set, path);
  return set;
}

export const insert = (set: FieldSetDraft, path: Path): void => graft(set, path, undefined);

/** Inserts a path, and all paths of a set below it. */
export function graft(set: FieldSetDraft, path: Path, below: FieldSetDraft | undefined): void {
  const last = path.at(-1);
  if (last === undefined) return;
  let node = set;
  for (let i = 0; i < path.length - 1; i++) node = descend(node, path[i] as PathElement);
  node.members.add(last);
  if (below) putChild(node, last, below);
}

export function hasPath(set: FieldSet, path: Path): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path.slice(0, -1)) node = node?.children.get(element);
  const last = path.at(-1);
  return last !== undefined && node?.members.has(last) === true;
}

export function isEmpty({ members, children }: FieldSet): boolean {
  if (members.size > 0) return false;
  for (const child of children.values()) if (!isEmpty(child)) return false;
  return true;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isBare(b)) return a;
  if (isBare(a)) return b;
  const children = new Map(a.children);
  for (const [element, child] of b.children) {
    const mine = a.children.get(element);
    children.set(element, mine ? union(mine, child) : child);
  }
  return { members: joined(a.members, b.members), children };
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of a.children) {
    const theirs = b.children.get(element);
    const both = theirs && intersection(child, theirs);
    if (both && !isEmpty(both)) children.set(element, both);
  }
  return { members: kept(a.members, (element) => b.members.has(element)), children };
}

/** The paths of `a` that are not in `b`; what lies below a path of `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(b)) return a;
  const children = new Map<PathElement, FieldSet>();
  let isSame = true;
  for (const [element, child] of a.children) {
    const theirs = b.children.get(element);
    const rest = theirs ? difference(child, theirs) : child;
    if (rest !== child) isSame = false;
    if (!theirs || !isEmpty(rest)) children.set(element, rest);
  }
  const members = kept(a.members, (element) => !b.members.has(element));
  return isSame && members.size === a.members.size ? a : { members, children };
}

/** The paths of `a` that are neither in `b` nor below a path of `b`. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (isBare(b)) return a;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of a.children) {
    if (b.members.has(element)) continue;
    const theirs = b.children.get(element);
    const rest = theirs ? differenceBelow(child, theirs) : child;
    if (!theirs || !isEmpty(rest)) children.set(element, rest);
  }
  return { members: kept(a.members, (element) => !b.members.has(element)), children };
}

/** The paths of a set that lead to some, or on from them. A step of a pattern is a field, or `*`: any. */
export function onlyAlong(set: FieldSet, patterns: readonly Path[]): FieldSet {
  if (patterns.some((pattern) => pattern.length === 0)) return set;
  const after = (element: PathElement): Path[] =>
    patterns
      .filter(([step]) => step === "*" || step === element)
      .map((pattern) => pattern.slice(1));
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const rest = onlyAlong(child, after(element));
    if (!isEmpty(rest)) children.set(element, rest);
  }
  return { members: kept(set.members, (element) => after(element).length > 0), children };
}

/** The paths of a set in their order: those that end in a node come before those that go on. */
export function pathsOf(set: FieldSet, prefix: Path = []): Path[] {
  const ends = sortElements([...set.members]).map((element) => [...prefix, element]);
  const longer = sortElements([...set.children.keys()]).flatMap((element) =>
    pathsOf(set.children.get(element) ?? emptySet, [...prefix, element]),
  );
  return [...ends, ...longer];
}

const isBare = ({ members, children }: FieldSet): boolean =>
  members.size === 0 && children.size === 0;

function joined(a: ReadonlySet<PathElement>, b: ReadonlySet<PathElement>) {
  if (b.size === 0) return a;
  const all = new Set(a);
  for (const element of b) all.add(element);
  return all;
}

function kept(members: ReadonlySet<PathElement>, keep: (element: PathElement) => boolean) {
  const some = new Set<PathElement>();
  for (const element of members) if (keep(element)) some.add(element);
  return some;
}
