import { bool, list } from "../../../schema/language/field.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { LocalObjectReference, ObjectReference } from "./object-reference.ts";

/** Limits the secrets that pods of an account may mount; deprecated. */
const enforceMountableSecrets = "kubernetes.io/enforce-mountable-secrets";

export const ServiceAccount = kind({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  shortNames: ["sa"],
  scope: "Namespaced",
  doc: "An identity for pods, and what comes with it.",
  name: nameIsDnsSubdomain,
  fields: {
    secrets: list(2, ObjectReference)
      .keyedBy("name")
      .doc("Secrets that pods of this account may use."),
    imagePullSecrets: list(3, LocalObjectReference)
      .atomic()
      .doc("Secrets to pull images with, for pods that name none."),
    automountServiceAccountToken: bool(4)
      .pointer()
      .doc("Whether pods get a token mounted, unless they say otherwise."),
  },
  subresources: ["token"],
  rules: [],
  updateRules: (_object, _old, { create }) => create(),
  strategy: {
    prepare: keepOnlyNames,
    deleteReturnsObject: true,
    warnings({ metadata }, old) {
      if (has(old?.metadata.annotations) || !has(metadata.annotations)) return [];
      return [
        `metadata.annotations[${enforceMountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ];
    },
  },
  columns: [nameColumn, ageColumn],
});
export interface ServiceAccount extends ObjectOf<typeof ServiceAccount> {}

const has = (annotations: object | undefined): boolean =>
  annotations !== undefined && Object.hasOwn(annotations, enforceMountableSecrets);

function keepOnlyNames(account: { secrets?: Draft<readonly ObjectReference[]> | undefined }): void {
  if (!account.secrets) return;
  account.secrets = account.secrets.map(({ name }) => (name ? { name } : {}));
}
