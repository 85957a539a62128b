import { string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { struct } from "../../../schema/language/struct.ts";
import {
  type Messages,
  nameIsDnsSubdomain,
  pathSegmentName,
} from "../../../schema/values/names.ts";
import { nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf, type ObjectValue, type UpdateCheck } from "../../meta/v1/kind.ts";
import { validateCoreMetadata, validateCoreMetadataUpdate } from "../core-metadata.ts";
import { validateSignerName } from "../signer-name.ts";
import { validateTrustBundle } from "../trust-bundle-validation.ts";

/** All versions of the kind, which are equal. */
export function clusterTrustBundleIn(version: string) {
  return {
    group: "certificates.k8s.io",
    version,
    kind: "ClusterTrustBundle",
    plural: "clustertrustbundles",
    scope: "Cluster",
    doc: "Certificates of authorities to trust, for the whole cluster.",
    name: pathSegmentName,
    // Its name follows from its signer: the metadata is validated below.
    metadataRules: false,
    fields: fieldsOf(version),
    rules: [
      (bundle: Body, at: At): void => {
        validateNames(bundle, at);
        validateTrustBundle(bundle.spec.trustBundle, at.child("spec").child("trustBundle"));
      },
    ],
    updateRules(bundle: Body, old: Body, { at }: UpdateCheck): void {
      const { signerName = "", trustBundle } = bundle.spec;
      validateNames(bundle, at);
      if (trustBundle !== old.spec.trustBundle)
        validateTrustBundle(trustBundle, at.child("spec").child("trustBundle"));
      validateCoreMetadataUpdate(bundle.metadata, old.metadata, at.child("metadata"));
      if (signerName !== (old.spec.signerName ?? ""))
        at.invalid("spec.signerName", signerName, "field is immutable");
    },
    strategy: { conditionalUpdateOnly: true },
    columns: [
      nameColumn,
      {
        name: "SignerName",
        type: "string",
        description:
          "signerName indicates the associated signer, if any.\n\nIn order to create or update a ClusterTrustBundle that sets signerName, you must have the following cluster-scoped permission: group=certificates.k8s.io resource=signers resourceName=<the signer name> verb=attest.\n\nIf signerName is not empty, then the ClusterTrustBundle object must be named with the signer name as a prefix (translating slashes to colons). For example, for the signer name `example.com/foo`, valid ClusterTrustBundle object names include `example.com:foo:abc` and `example.com:foo:v1`.\n\nIf signerName is empty, then the ClusterTrustBundle object's name must not have such a prefix.\n\nList/watch requests for ClusterTrustBundles can filter on this field using a `spec.signerName=NAME` field selector.",
        cell: ({ spec }: Body) => spec.signerName || "<none>",
      },
    ],
    selectableFields: { "spec.signerName": ({ spec }: Body) => spec.signerName ?? "" },
  } as const;
}

export const ClusterTrustBundle = kind({ ...clusterTrustBundleIn("v1beta1"), stability: "beta" });
export interface ClusterTrustBundle extends ObjectOf<typeof ClusterTrustBundle> {}

function fieldsOf(version: string) {
  const ClusterTrustBundleSpec = struct(
    `io.k8s.api.certificates.${version}.ClusterTrustBundleSpec`,
    {
      signerName: string(1).doc("The signer whose certificates they are, if any. Never changes."),
      trustBundle: string(2).always().expected().doc("The certificates, in PEM form."),
    },
  ).doc("A signer, and the certificates to trust.");
  return {
    spec: value(2, ClusterTrustBundleSpec).expected().doc("The certificates, and whose they are."),
  };
}
type Body = ObjectValue<ReturnType<typeof fieldsOf>>;

function validateNames({ metadata, spec: { signerName = "" } }: Body, at: At): void {
  validateCoreMetadata(metadata, at.child("metadata"), {
    namespaced: false,
    name: (name, prefix) => nameFaults(name, signerName, prefix),
  });
  if (signerName !== "") validateSignerName(signerName, at.child("spec").child("signerName"));
}

/** The name of a signer's bundle begins with the name of the signer, with colons for slashes. */
function nameFaults(name: string, signer: string, prefix = false): Messages {
  if (signer === "") {
    if (name.includes(":"))
      return ['ClusterTrustBundle without signer name must not have ":" in its name'];
    return nameIsDnsSubdomain(name, prefix);
  }
  const start = `${signer.replaceAll("/", ":")}:`;
  if (!name.startsWith(start))
    return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${start}`];
  return nameIsDnsSubdomain(name.slice(start.length), prefix);
}
