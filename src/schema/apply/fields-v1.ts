import { textOfFields } from "../language/shared-fields.ts";
import { draftSet, emptySet, type FieldSet, type FieldSetDraft, putChild } from "./field-set.ts";
import { type PathElement, parseElement, sortElements } from "./path-element.ts";

/**
 * A set as managedFields hold it: an object of steps, where `{}` ends a path, and `.` says that the
 * path ends where others go on: `{"f:labels":{".":{},"f:app":{}}}`.
 */
export type FieldsV1 = Readonly<Record<string, unknown>>;

/** Throws a SyntaxError where a step cannot be read; steps of a kind that is not known are skipped. */
export function readFields(fields: unknown): FieldSet {
  if (!isObject(fields)) {
    if (fields === undefined || fields === null) return emptySet;
    throw new SyntaxError("expected an object of fields");
  }
  const known = sets.get(fields);
  if (known) return known;
  const set = readNode(fields).set ?? emptySet;
  if (textOfFields(fields) !== undefined) {
    sets.set(fields, set);
    shared.add(set);
  }
  return set;
}

/** Whether a set was read from fields that many objects share. */
export const isShared = (set: FieldSet): boolean => shared.has(set);

const sets = new WeakMap<object, FieldSet>();
const shared = new WeakSet<FieldSet>();

export function writeFields(set: FieldSet): FieldsV1 {
  return writeNode(set, false);
}

/** A node without steps is a member of the one above, whatever else it says. */
function readNode(fields: Readonly<Record<string, unknown>>): {
  set: FieldSetDraft | undefined;
  isMember: boolean;
} {
  let set: FieldSetDraft | undefined;
  let isMember = false;
  for (const name in fields) {
    if (name === ".") {
      isMember = true;
      continue;
    }
    const element = parseElement(name);
    if (element === undefined) continue;
    const value = fields[name];
    const below = isObject(value) ? readNode(value) : { set: undefined, isMember: true };
    set ??= draftSet();
    if (below.isMember) set.members.add(element);
    if (below.set) putChild(set, element, below.set);
  }
  return { set, isMember: isMember || set === undefined };
}

/** What all paths end in: there are dozens in every object. */
const end: FieldsV1 = Object.freeze({});

function writeNode(set: FieldSet, isMember: boolean): FieldsV1 {
  const node: Record<string, unknown> = {};
  if (isMember && set.members.size + set.children.size > 0) node["."] = end;
  for (const element of elementsOf(set)) {
    const child = set.children.get(element);
    const isEnd = set.members.has(element);
    node[element] = child ? writeNode(child, isEnd) : end;
  }
  return node;
}

function elementsOf({ members, children }: FieldSet): readonly PathElement[] {
  const elements = [...members];
  for (const element of children.keys()) if (!members.has(element)) elements.push(element);
  return isInOrder(elements) ? elements : sortElements(elements);
}

/** Whether plain fields are in the order of their texts, as most are made. */
function isInOrder(elements: readonly PathElement[]): boolean {
  let before = "f:";
  for (const element of elements) {
    if (element < before || !plainField.test(element)) return elements.length < 2;
    before = element;
  }
  return true;
}
const plainField = /^f:[^\ud800-\udfff]*$/;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
