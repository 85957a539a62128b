import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { customKinds } from "../../apiserver/custom/custom-kinds.ts";
import { copyDefined } from "../language/copy-defined.ts";
import type { CustomKind } from "../language/kind-definition.ts";

/** A kind as an API server serves it: what it does with objects is what the server does. */
export type ServedCustomKind = ReturnType<typeof customKinds>[number];

const served = new WeakMap<CustomKind, ServedCustomKind>();

/** The served form of a kind, made once. */
export function servedKind(kind: CustomKind): ServedCustomKind {
  let found = served.get(kind);
  if (!found) {
    found = customKinds(asAccepted(kind.definition), { isTerminating: () => false }).find(
      ({ version }) => version === kind.version,
    );
    if (!found) throw new TypeError(`the definition of ${kind.kind} has no ${kind.version}`);
    served.set(kind, found);
  }
  return found;
}

/** A manifest as it is in a cluster that serves it. */
function asAccepted(definition: CustomKind["definition"]): CustomResourceDefinition {
  const { metadata, spec } = copyDefined(definition) as CustomResourceDefinition;
  const names = {
    singular: spec.names.kind.toLowerCase(),
    listKind: `${spec.names.kind}List`,
    ...spec.names,
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata,
    spec: { ...spec, names, conversion: spec.conversion ?? { strategy: "None" } },
    status: { acceptedNames: names, conditions: [], storedVersions: [] },
  };
}
