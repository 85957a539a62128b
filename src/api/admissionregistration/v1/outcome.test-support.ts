import { applyDefaults } from "../../../schema/language/defaults.ts";
import { apiVersionOf, type Kind } from "../../../schema/language/kind.ts";
import { normalise } from "../../../schema/language/normalise.ts";
import { At } from "../../../schema/language/report.ts";

/** An object of a kind as the server would read it: with its defaults. */
export function read<O>(kind: Kind<O>, body: object): O {
  const text = {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { name: "a", resourceVersion: "1" },
    ...structuredClone(body),
  };
  const object = normalise(kind.struct, text)?.value;
  if (object === undefined) throw new Error("the body does not fit the kind");
  applyDefaults(kind.struct, object);
  return object as O;
}

/** What is wrong with an object that is created, as `field: message`. */
export function creationErrors<O>(kind: Kind<O>, body: object): readonly string[] {
  const at = At.root();
  kind.validateCreate(read(kind, body), at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}

/** What is wrong with an update, as `field: message`. */
export function updateErrors<O>(kind: Kind<O>, old: object, body: object): readonly string[] {
  const at = At.root();
  kind.validateUpdate(read(kind, body), read(kind, old), at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
}
