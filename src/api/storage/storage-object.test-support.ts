import { applyDefaults } from "../../schema/language/defaults.ts";
import type { Kind } from "../../schema/language/kind.ts";
import { normalise } from "../../schema/language/normalise.ts";
import { At } from "../../schema/language/report.ts";

/** An object of a kind as the server reads it: with its defaults. */
export function read<O>(kind: Kind<O>, object: object): O {
  const { metadata, ...rest } = object as { readonly metadata?: object };
  const read = normalise(kind.struct, {
    kind: kind.kind,
    apiVersion: kind.version,
    metadata: {
      name: "a",
      ...(kind.scope === "Namespaced" && { namespace: "n" }),
      resourceVersion: "1",
      ...metadata,
    },
    ...rest,
  });
  if (!read) throw new Error(`not a ${kind.kind}`);
  applyDefaults(kind.struct, read.value);
  return read.value;
}

/** What is wrong with a new object. */
export const createErrors = <O>(kind: Kind<O>, object: object): readonly string[] =>
  errorsOf((at) => kind.validateCreate(read(kind, object), at));

/** What is wrong with an update; each error once. */
export const updateErrors = <O>(kind: Kind<O>, object: object, old: object): readonly string[] => [
  ...new Set(errorsOf((at) => kind.validateUpdate(read(kind, object), read(kind, old), at))),
];

/** What is wrong with an update of the status. */
export const statusErrors = <O>(kind: Kind<O>, object: object, old: object): readonly string[] =>
  errorsOf((at) => kind.validateStatusUpdate(read(kind, object), read(kind, old), at));

function errorsOf(check: (at: At) => void): readonly string[] {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}
