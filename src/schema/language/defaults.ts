import {
  type Defaulter,
  type Defaults,
  generateDefaulter,
} from "../generated-code/defaults-source.ts";
import { type Replaceable, replaceable } from "../generated-code/generate.ts";
import type { Struct } from "./struct.ts";
import { structOf, type Type } from "./type.ts";

/**
 * Fills in the defaults of an object that is still being made, in place: of the struct as a whole
 * first, then of each field, then of what the fields hold.
 */
export function applyDefaults(struct: Struct, value: unknown): void {
  defaulter(struct)?.(value as Record<string, unknown>);
}

/** `undefined`: there is nothing to default in this struct or in anything it holds. */
const defaulters = new WeakMap<Struct, Replaceable<Defaulter> | undefined>();
const inProgress = new WeakSet<Struct>();

function defaulter(struct: Struct): Defaulter | undefined {
  // A struct that holds itself is looked up again when it is reached.
  if (inProgress.has(struct)) return (value) => defaulters.get(struct)?.run(value);
  if (!defaulters.has(struct)) {
    inProgress.add(struct);
    const defaults = defaultsOf(struct);
    inProgress.delete(struct);
    defaulters.set(
      struct,
      defaults && replaceable(interpret(defaults), () => generateDefaulter(defaults)),
    );
  }
  const found = defaulters.get(struct);
  return found && ((value) => found.run(value));
}

function defaultsOf(struct: Struct): Defaults | undefined {
  const own: [name: string, value: unknown][] = [];
  const nested: [name: string, apply: (value: unknown) => void][] = [];
  for (const [name, field] of Object.entries(struct.fields)) {
    if (field.defaultValue !== undefined) own.push([name, field.defaultValue]);
    const inner = typeDefaulter(field.type);
    if (inner) nested.push([name, inner]);
  }
  const { setDefaults } = struct;
  if (!setDefaults && own.length === 0 && nested.length === 0) return undefined;
  return { whole: setDefaults as Defaulter | undefined, own, nested, copy };
}

const interpret =
  ({ whole, own, nested }: Defaults): Defaulter =>
  (value) => {
    whole?.(value);
    for (const [name, standard] of own) {
      const given = value[name];
      if (given === undefined || given === null) value[name] = copy(standard);
    }
    for (const [name, apply] of nested) {
      const given = value[name];
      if (given !== undefined && given !== null) apply(given);
    }
  };

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
