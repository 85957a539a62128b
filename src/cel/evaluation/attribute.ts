import {
  CelOptional,
  type CelValue,
  isError,
  optionalNone,
  orNoSuchOverload,
} from "../values/cel-value.ts";
import { nativeView } from "../values/native-view.ts";
import type { Frame, Run } from "./frame.ts";
import { findMember, type Qualified, readMember } from "./qualify.ts";

/** A step from a value to a part of it: by a key that is known, or that is computed each time. */
export interface Qualifier {
  readonly key: Run;
  /** Whether the part may be missing. */
  readonly isOptional: boolean;
  /** Whether only its presence matters. */
  readonly isTest: boolean;
}

/**
 * A value and the steps into it, as they are planned: what follows adds steps. Of a conditional, both
 * branches get them.
 */
export type Attribute =
  | { readonly kind: "value"; readonly root: Run; readonly qualifiers: Qualifier[] }
  | {
      readonly kind: "conditional";
      readonly condition: Run;
      readonly whenTrue: Attribute;
      readonly whenFalse: Attribute;
    };

export function addQualifier(attribute: Attribute, qualifier: Qualifier): void {
  if (attribute.kind === "value") {
    attribute.qualifiers.push(qualifier);
    return;
  }
  addQualifier(attribute.whenTrue, qualifier);
  addQualifier(attribute.whenFalse, qualifier);
}

/** Makes what resolves an attribute; that an attribute is read at all is not charged here. */
export function resolverOf(attribute: Attribute): Run {
  if (attribute.kind === "conditional") return conditionalResolver(attribute);
  const { root, qualifiers } = attribute;
  const [first, ...others] = qualifiers;
  if (first === undefined) return (frame) => seenAgain(root(frame));
  if (others.length === 0 && !first.isOptional && !first.isTest) {
    const { key } = first;
    return (frame) => {
      const value = root(frame);
      if (value instanceof CelOptional || isError(value)) {
        return resolve(frame, value, qualifiers);
      }
      const found = readMember(value, key(frame));
      frame.charge(1);
      return found;
    };
  }
  return (frame) => resolve(frame, root(frame), qualifiers);
}

/** What is in an optional loses its schema whenever the optional is read. */
function seenAgain(value: CelValue): CelValue {
  if (!(value instanceof CelOptional) || value.value === undefined) return value;
  const native = nativeView(value.value);
  return native === value.value ? value : new CelOptional(native);
}

function conditionalResolver(attribute: Attribute & { readonly kind: "conditional" }): Run {
  const { condition } = attribute;
  const [whenTrue, whenFalse] = [resolverOf(attribute.whenTrue), resolverOf(attribute.whenFalse)];
  return (frame) => {
    const value = condition(frame);
    if (value === true) return whenTrue(frame);
    return value === false ? whenFalse(frame) : orNoSuchOverload(value);
  };
}

function resolve(frame: Frame, root: CelValue, qualifiers: readonly Qualifier[]): CelValue {
  if (isError(root)) return root;
  let value = root;
  let isOptional = false;
  if (root instanceof CelOptional) {
    if (root.value === undefined) return root;
    isOptional = true;
    value = nativeView(root.value);
  }
  for (const qualifier of qualifiers) {
    isOptional ||= qualifier.isOptional;
    const key = qualifier.key(frame);
    if (isError(key)) {
      if (!isOptional) frame.charge(1);
      return key;
    }
    const found: Qualified = step(value, key, { isOptional, isTest: qualifier.isTest });
    if (found === undefined) return optionalNone;
    // A part that may be missing costs nothing unless it is there.
    if (!isOptional || !isError(found)) frame.charge(1);
    if (isError(found)) return found;
    value = found;
  }
  return isOptional ? new CelOptional(value) : value;
}

function step(
  value: CelValue,
  key: CelValue,
  { isOptional, isTest }: { isOptional: boolean; isTest: boolean },
): Qualified {
  if (!isTest) return isOptional ? findMember(value, key) : readMember(value, key);
  const found = findMember(value, key, { presenceOnly: true });
  if (isOptional) return found;
  return found === undefined || isError(found) ? (found ?? false) : true;
}
