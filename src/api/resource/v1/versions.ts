import { apiVersionOf, type Conversion, type Kind } from "../../../schema/language/kind.ts";
import type { Fields } from "../../../schema/language/struct.ts";
import type { KindDefinition } from "../../meta/v1/kind.ts";

/** The versions of the group that have these structs. */
export type Version = "v1" | "v1beta1" | "v1beta2" | "v1alpha3";

/** A struct that several versions have, equal but for its name: one for each that asks. */
export function inEachVersion<S>(declare: (version: Version) => S): (version: Version) => S {
  const declared = new Map<Version, S>();
  return (version) => {
    const known = declared.get(version);
    if (known !== undefined) return known;
    const made = declare(version);
    declared.set(version, made);
    return made;
  };
}

/** The OpenAPI name of a struct in a version. */
export const nameIn = (version: Version, struct: string): string =>
  `io.k8s.api.resource.${version}.${struct}`;

export const group = "resource.k8s.io";

/** A kind that several versions have, before it is declared in each of them. */
export const define = <const F extends Fields>(definition: KindDefinition<F>): KindDefinition<F> =>
  definition;

/** How a version is stored as another that has the same fields. */
export function storedAs(stored: Kind, version: Version): Conversion {
  const named = (apiVersion: string) => (object: object) => ({ ...object, apiVersion });
  return {
    stored,
    fromStored: named(`${group}/${version}`),
    toStored: named(apiVersionOf(stored)),
  };
}
