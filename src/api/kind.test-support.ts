import { applyDefaults } from "../schema/language/defaults.ts";
import { apiVersionOf, type Kind } from "../schema/language/kind.ts";
import { normalise } from "../schema/language/normalise.ts";
import { At } from "../schema/language/report.ts";
import type { Draft } from "../schema/language/struct.ts";

/** An object of a kind as it is after decoding and defaulting; it has a name and a version. */
export function read<O>(kind: Kind<O>, body: object): Draft<O> {
  const { metadata = {}, ...rest } = body as { metadata?: object };
  const object = normalise(kind.struct, {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: {
      name: "a",
      ...(kind.scope === "Namespaced" && { namespace: "n" }),
      resourceVersion: "1",
      ...metadata,
    },
    ...rest,
  })?.value;
  if (!object) throw new Error(`this is no ${kind.kind}`);
  applyDefaults(kind.struct, object);
  return object as Draft<O>;
}

/** What a kind reports of a new object, each as `field: message`. */
export const created = <O>(kind: Kind<O>, body: object): readonly string[] =>
  report((at) => kind.validateCreate(read(kind, body) as O, at));

/** What a kind reports of an update. */
export const updated = <O>(kind: Kind<O>, old: object, body: object): readonly string[] =>
  report((at) => kind.validateUpdate(read(kind, body) as O, read(kind, old) as O, at));

/** What a kind reports of an update of the status. */
export const statusUpdated = <O>(kind: Kind<O>, old: object, body: object): readonly string[] =>
  report((at) => kind.validateStatusUpdate(read(kind, body) as O, read(kind, old) as O, at));

/** The cells of an object, without those of its name and age. */
export const cellsOf = <O>(kind: Kind<O>, body: object): readonly unknown[] =>
  kind.columns
    .filter(({ name }) => name !== "Name" && name !== "Age")
    .map(({ cell }) => cell(read(kind, body) as never, { now: 0 }));

/** What is told to the client who creates an object, or changes one. */
export const warningsOf = <O>(kind: Kind<O>, body: object, old?: object): readonly string[] =>
  kind.strategy.warnings?.(read(kind, body) as never, (old && read(kind, old)) as never) ?? [];

function report(check: (at: At) => void): readonly string[] {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}
