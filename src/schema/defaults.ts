import type { Field } from "./field.ts";
import type { Struct } from "./struct.ts";
import { structOf, type Type } from "./type.ts";

/**
 * Fills in the defaults of an object that is still being made, in place: of the struct as a whole
 * first, then of each field, then of what the fields hold.
 */
export function applyDefaults(struct: Struct, value: unknown): void {
  defaulter(struct)?.(value as Record<string, unknown>);
}

type Defaulter = (value: Record<string, unknown>) => void;

/** `undefined`: there is nothing to default in this struct or in anything it holds. */
const defaulters = new WeakMap<Struct, Defaulter | undefined>();
const inProgress = new WeakSet<Struct>();

function defaulter(struct: Struct): Defaulter | undefined {
  if (defaulters.has(struct)) return defaulters.get(struct);
  // A struct that holds itself is looked up again when it is reached.
  if (inProgress.has(struct)) return (value) => defaulters.get(struct)?.(value);
  inProgress.add(struct);
  const compiled = compile(struct);
  inProgress.delete(struct);
  defaulters.set(struct, compiled);
  return compiled;
}

function compile(struct: Struct): Defaulter | undefined {
  const own: [name: string, value: unknown][] = [];
  const nested: [name: string, apply: (value: unknown) => void][] = [];
  for (const [name, field] of Object.entries(struct.fields)) {
    if (field.defaultValue !== undefined) own.push([name, field.defaultValue]);
    const inner = fieldDefaulter(field);
    if (inner) nested.push([name, inner]);
  }
  const { setDefaults } = struct;
  if (!setDefaults && own.length === 0 && nested.length === 0) return undefined;
  return (value) => {
    setDefaults?.(value as never);
    for (const [name, standard] of own) {
      const given = value[name];
      if (given === undefined || given === null) value[name] = copy(standard);
    }
    for (const [name, apply] of nested) {
      const given = value[name];
      if (given !== undefined && given !== null) apply(given);
    }
  };
}

const fieldDefaulter = (field: Field) => typeDefaulter(field.type);

function typeDefaulter(type: Type): ((value: unknown) => void) | undefined {
  if (type.code === "struct") return defaulter(structOf(type) as Struct) as never;
  if (type.code !== "list" && type.code !== "map") return undefined;
  const item = typeDefaulter(type.of as Type);
  if (!item) return undefined;
  if (type.code === "map")
    return (map) => {
      for (const value of Object.values(map as object)) item(value);
    };
  return (list) => {
    for (const value of list as unknown[]) item(value);
  };
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const out: Record<string, unknown> = {};
  for (const [name, held] of Object.entries(value)) out[name] = copy(held);
  return out;
}
