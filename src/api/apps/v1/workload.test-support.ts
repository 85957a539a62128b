import { applyDefaults } from "../../../schema/language/defaults.ts";
import type { Kind } from "../../../schema/language/kind.ts";
import { canonicalise, normalise } from "../../../schema/language/normalise.ts";
import { At } from "../../../schema/language/report.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { write } from "../../write.test-support.ts";

/** What a test says of an object; metadata that every object needs is filled in. */
export interface Given {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
  readonly [field: string]: unknown;
}

/** A template of pods that is valid wherever its labels are selected. */
export const template = (spec: object = {}, labels: object = { app: "a" }): object => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image: "i:1" }], ...spec },
});

/** An object as a client writes it, with defaults. */
export function read<O>(kind: Kind<O>, { metadata, ...rest }: Given): Draft<O> {
  const object = normalise(kind.struct, {
    metadata: { name: "w", namespace: "n", uid: "u", resourceVersion: "1", ...metadata },
    ...structuredClone(rest),
  })?.value;
  if (!object) throw new Error(`not a ${kind.kind}`);
  applyDefaults(kind.struct, object);
  return object as Draft<O>;
}

/** The object as it is stored when it is created. */
export function created<O>(kind: Kind<O>, given: Given): Draft<O> {
  const object = read(kind, given);
  kind.strategy.prepareCreate?.(object as never, write);
  kind.strategy.canonicalise?.(object as never);
  return canonicalise(kind.struct, object) as Draft<O>;
}

/** What is wrong with an object that is to be created. */
export function createFaults<O>(kind: Kind<O>, given: Given): readonly string[] {
  const object = read(kind, given);
  kind.strategy.prepareCreate?.(object as never, write);
  const at = At.root();
  kind.validateCreate(object as O, at);
  return faultsOf(at);
}

/** The object after an update that replaces its spec and metadata. */
export function updated<O>(kind: Kind<O>, old: Draft<O>, given: Given): Draft<O> {
  const { generation } = (old as { metadata: { generation?: number } }).metadata;
  const object = read(kind, { ...given, metadata: { ...given.metadata, generation } });
  kind.strategy.prepareUpdate?.(object as never, structuredClone(old) as never, write);
  return object;
}

/** What is wrong with an update. */
export function updateFaults<O>(kind: Kind<O>, old: Draft<O>, given: Given): readonly string[] {
  const at = At.root();
  kind.validateUpdate(updated(kind, old, given) as O, old as O, at);
  return faultsOf(at);
}

/** What is wrong with a new status, where there was another. */
export function statusFaults<O>(kind: Kind<O>, given: Given, old: object = {}): readonly string[] {
  const at = At.root();
  const before = read(kind, { ...given, status: old });
  kind.validateStatusUpdate(read(kind, given) as O, before as O, at);
  return faultsOf(at);
}

/** The cells of the object's row, all of them. */
export const cellsOf = <O>(kind: Kind<O>, object: Draft<O>, now = 0): readonly unknown[] =>
  kind.columns.map(({ cell }) => cell(object as never, { now }));

const faultsOf = (at: At): readonly string[] =>
  at.errors.map(({ field, message }) => `${field}: ${message}`);
