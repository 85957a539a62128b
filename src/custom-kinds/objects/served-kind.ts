import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { type CustomState, customKinds } from "../../apiserver/custom/custom-kinds.ts";
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

/** The kinds of all versions that a manifest serves, as a server has them that does nothing else. */
export function servedVersions(
  kind: CustomKind,
  convert?: CustomState["convert"],
): readonly ServedCustomKind[] {
  const { definition } = kind;
  const accepted = asAccepted(
    convert ? { ...definition, spec: { ...definition.spec, conversion: byServer } } : definition,
  );
  const state = { isTerminating: () => false, ...(convert && { convert }) };
  const served = new Set(
    accepted.spec.versions.filter((one) => one.served).map(({ name }) => name),
  );
  return customKinds(accepted, state).filter(({ version }) => served.has(version));
}

/** The conversion of a kind by the server that serves it. */
const byServer = { strategy: "Webhook" };

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
