import type { Field } from "./field.ts";
import type { At } from "./report.ts";
import type { Rule, Step, Struct } from "./struct.ts";
import { structOf, type Type } from "./type.ts";

/** Reports every broken rule of a struct that stands at a place in an object, in upstream's order. */
export function validateAt(struct: Struct, value: unknown, at: At): void {
  validator(struct)?.(value, at);
}

type Validator = (value: unknown, at: At) => void;
type FieldValidator = (parent: Record<string, unknown>, at: At) => void;

/** `undefined`: nothing in this struct or in anything it holds can be invalid. */
const validators = new WeakMap<Struct, Validator | undefined>();
const inProgress = new WeakSet<Struct>();

function validator(struct: Struct): Validator | undefined {
  if (validators.has(struct)) return validators.get(struct);
  if (inProgress.has(struct)) return (value, at) => validators.get(struct)?.(value, at);
  inProgress.add(struct);
  const compiled = compile(struct);
  inProgress.delete(struct);
  validators.set(struct, compiled);
  return compiled;
}

function compile(struct: Struct): Validator | undefined {
  if (struct.isValidatedElsewhere) return undefined;
  const steps = struct.steps as readonly Step<Record<string, unknown>>[];
  const placed = new Set(steps.filter((step) => typeof step === "string"));
  const first = Object.keys(struct.fields).filter((name) => !placed.has(name));
  const sequence = [...first, ...steps].flatMap((step) => {
    if (typeof step !== "string") return [step as Rule<Record<string, unknown>>];
    return fieldValidator(step, struct.fields[step] as Field) ?? [];
  });
  if (sequence.length === 0) return undefined;
  return (value, at) => {
    for (const step of sequence) step(value as Record<string, unknown>, at);
  };
}

function fieldValidator(name: string, field: Field): FieldValidator | undefined {
  const own = ownRule(name, field);
  const inner = typeValidator(field.type);
  const { rule } = field;
  if (!own && !inner && !rule) return undefined;
  return (parent, at) => {
    const value = parent[name];
    own?.(value, at);
    if (value === undefined || value === null) return;
    const here = rule || inner ? at.child(name) : at;
    rule?.(value, here, parent);
    inner?.(value, here);
  };
}

/** What can be said of the field's value without looking into it. */
function ownRule(name: string, field: Field): Validator | undefined {
  const { requiredDetail, minimum, maximum, allowed, format } = field;
  const bounded = minimum !== undefined || maximum !== undefined;
  if (requiredDetail === undefined && !bounded && !allowed && !format) return undefined;
  return (value, at) => {
    if (isEmpty(value)) {
      if (requiredDetail !== undefined) at.required(name, requiredDetail);
      return;
    }
    if (bounded) checkBounds(name, field, value as number, at);
    if (allowed && !allowed.includes(value as string)) at.notSupported(name, value, allowed);
    if (format) at.invalidEach(name, value, format(value as string));
  };
}

function checkBounds(name: string, { minimum, maximum }: Field, value: number, at: At): void {
  if (minimum !== undefined && value < minimum)
    at.invalid(name, value, `must be greater than or equal to ${minimum}`);
  else if (maximum !== undefined && value > maximum)
    at.invalid(name, value, `must be less than or equal to ${maximum}`);
}

function typeValidator(type: Type): Validator | undefined {
  if (type.code === "struct") return validator(structOf(type) as Struct);
  if (type.code !== "list" && type.code !== "map") return undefined;
  const item = typeValidator(type.of as Type);
  if (!item) return undefined;
  if (type.code === "map")
    return (map, at) => {
      for (const [key, value] of Object.entries(map as object)) item(value, at.key(key));
    };
  return (list, at) => {
    const items = list as readonly unknown[];
    for (let i = 0; i < items.length; i++) item(items[i], at.index(i));
  };
}

/** Absent, or a zero that Go cannot tell from absent; numbers and booleans are never empty. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return Array.isArray(value) && value.length === 0;
}

/** Reports each field marked immutable that an update changes, in structs that stand one in another. */
export function validateImmutable(struct: Struct, value: unknown, old: unknown, at: At): void {
  const now = value as Record<string, unknown>;
  const before = old as Record<string, unknown>;
  for (const [name, field] of Object.entries(struct.fields)) {
    if (field.isImmutable && !sameValue(now[name], before[name]))
      at.invalid(name, now[name], "field is immutable");
    else if (field.type.code === "struct" && now[name] && before[name])
      validateImmutable(structOf(field.type) as Struct, now[name], before[name], at.child(name));
  }
}

/** Whether two JSON values are equal; absent, null and an empty list are the same. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isBlank(a) || isBlank(b)) return isBlank(a) && isBlank(b);
  if (typeof a !== "object" || typeof b !== "object") return false;
  const x = a as Record<string, unknown>;
  const y = b as Record<string, unknown>;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => sameValue(item, b[i]));
  for (const key of new Set([...Object.keys(x), ...Object.keys(y)]))
    if (!sameValue(x[key], y[key])) return false;
  return true;
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);
