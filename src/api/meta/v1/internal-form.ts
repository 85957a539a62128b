import type { Field } from "../../../schema/field.ts";
import { canonicalise, zeroOf } from "../../../schema/normalise.ts";
import type { Struct } from "../../../schema/struct.ts";
import { structOf, type Type } from "../../../schema/type.ts";

/**
 * A value as errors show one that upstream holds in memory without names for JSON: each field under
 * its name in Go, absent ones as null or zero.
 */
export function internalForm(struct: Struct, value: unknown): unknown {
  const from = (value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(struct.fields).map(([name, field]) => [
      goName(name),
      ofField(field, from[name]),
    ]),
  );
}

function ofField({ type, zero }: Field, value: unknown): unknown {
  if (value !== undefined && value !== null) return ofType(type, value);
  if (zero === "pointer" || zero === "null" || type.of) return null;
  return type.code === "struct" ? ofType(type, {}) : zeroOf(type)();
}

function ofType(type: Type, value: unknown): unknown {
  if (type.code === "list")
    return (value as readonly unknown[]).map((item) => ofType(type.of as Type, item));
  if (type.code === "map")
    return Object.fromEntries(
      Object.entries(value as object).map(([key, item]) => [key, ofType(type.of as Type, item)]),
    );
  if (type.code !== "struct") return value;
  const struct = structOf(type) as Struct;
  // These have names for JSON in memory too.
  if (struct.name.startsWith("io.k8s.apimachinery.")) return canonicalise(struct, value);
  return internalForm(struct, value);
}

const goName = (name: string): string =>
  name
    .replace(/^(?:api(?=[A-Z])|cel$|uid$|ip(?=s$))/, (initials) => initials.toUpperCase())
    .replace(/^[a-z]/, (first) => first.toUpperCase());
