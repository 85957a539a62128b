import { value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import type { Write } from "../../../schema/language/write.ts";
import { humanDuration } from "../../../schema/values/time.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";
import { validateCoreMetadata, validateCoreMetadataUpdate } from "../core-metadata.ts";
import {
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from "./certificate-signing-request-spec.ts";
import {
  type Changes,
  validateRequest,
  validateRequestUpdate,
} from "./certificate-signing-request-validation.ts";

const fields = {
  spec: value(2, CertificateSigningRequestSpec)
    .expected()
    .doc("The certificate that is asked for; it never changes."),
  status: value(3, CertificateSigningRequestStatus).doc("What became of the request."),
};
type Body = ObjectValue<typeof fields>;
type BodyDraft = Draft<Body>;

export const CertificateSigningRequest = kind({
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  shortNames: ["csr"],
  scope: "Cluster",
  doc: "Asks a signer for a certificate.",
  name: () => [],
  fields,
  subresources: ["approval", "status"],
  rules: [(request, at) => validateRequest(request, undefined, at)],
  firstUpdateRules: (request, old, { at, metadata }) => {
    metadata();
    validateRequest(request, old, at);
    validateRequestUpdate(request, old, { at, changes: {} });
  },
  updateRules() {},
  strategy: {
    initialStatus: {},
    prepare(request, old, write) {
      if (old) request.spec = old.spec;
      else signBy(request, write);
    },
    resets: {
      "": ["spec", "status"],
      status: ["spec", "status.conditions"],
      approval: ["spec", "status.certificate"],
    },
    updates: {
      approval: {
        prepare(request, old, write) {
          const { conditions } = request.status;
          request.spec = old.spec;
          request.status = { ...old.status, conditions };
          dateConditions(request, old, write);
        },
        validate: subresourceRules({ approval: true }),
      },
      status: {
        prepare(request, old, write) {
          request.spec = old.spec;
          keepDecisions(request, old);
          dateConditions(request, old, write);
        },
        validate: subresourceRules({ certificate: true }),
      },
    },
  },
  columns: [
    nameColumn,
    ageColumn,
    {
      name: "SignerName",
      type: "string",
      description:
        'Requested signer for the request. It is a qualified name in the form: `scope-hostname.io/name`. If empty, it will be defaulted:\n 1. If it\'s a kubelet client certificate, it is assigned\n    "kubernetes.io/kube-apiserver-client-kubelet".\n 2. If it\'s a kubelet serving certificate, it is assigned\n    "kubernetes.io/kubelet-serving".\n 3. Otherwise, it is assigned "kubernetes.io/legacy-unknown".\nDistribution of trust for signers happens out of band. You can select on this field using `spec.signerName`.',
      cell: ({ spec }) => spec.signerName || "<none>",
    },
    {
      name: "Requestor",
      type: "string",
      description: "Base64-encoded PKCS#10 CSR data",
      cell: ({ spec }) => spec.username ?? "",
    },
    {
      name: "RequestedDuration",
      type: "string",
      description:
        "expirationSeconds is the requested duration of validity of the issued certificate. The certificate signer may issue a certificate with a different validity duration so a client must check the delta between the notBefore and and notAfter fields in the issued certificate to determine the actual duration.\n\nThe v1.22+ in-tree implementations of the well-known Kubernetes signers will honor this field as long as the requested duration is not greater than the maximum duration they will honor per the --cluster-signing-duration CLI flag to the Kubernetes controller manager.\n\nCertificate signers may not honor this field for various reasons:\n\n  1. Old signer that is unaware of the field (such as the in-tree\n     implementations prior to v1.22)\n  2. Signer whose configured maximum is shorter than the requested duration\n  3. Signer whose configured minimum is longer than the requested duration\n\nThe minimum valid value for expirationSeconds is 600, i.e. 10 minutes.",
      cell: ({ spec: { expirationSeconds: seconds } }) =>
        seconds === undefined ? "<none>" : humanDuration(seconds * 1000),
    },
    {
      name: "Condition",
      type: "string",
      description: "Conditions applied to the request, such as approval or denial.",
      cell: ({ status }) => conditionCell(status),
    },
  ],
  selectableFields: { "spec.signerName": ({ spec }) => spec.signerName },
});
export interface CertificateSigningRequest extends ObjectOf<typeof CertificateSigningRequest> {}

function conditionCell({ conditions = [], certificate }: CertificateSigningRequestStatus): string {
  const has = (type: string) => conditions.some((condition) => condition.type === type);
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${certificate ? ",Issued" : ""}`;
}

/** Who makes a request is what the server knows of them, not what they say. */
function signBy({ spec }: BodyDraft, { user }: Write): void {
  spec.username = user.name;
  spec.uid = user.uid;
  spec.groups = [...user.groups];
  spec.extra = user.extra && structuredClone(user.extra as Record<string, string[]>);
}

/** Decisions are not changed through the status; added or removed ones are left to validation. */
function keepDecisions(request: BodyDraft, old: BodyDraft): void {
  for (const type of ["Approved", "Denied"]) {
    const kept = (old.status.conditions ?? []).filter((condition) => condition.type === type);
    const conditions = request.status.conditions ?? [];
    const given = conditions.filter((condition) => condition.type === type);
    if (kept.length !== given.length) continue;
    request.status.conditions = conditions.map((condition) =>
      condition.type === type ? (kept.shift() ?? condition) : condition,
    );
  }
}

/** Conditions without times get those of now, or of the time when they became what they are. */
function dateConditions({ status }: BodyDraft, old: BodyDraft, { now }: Write): void {
  for (const condition of status.conditions ?? []) {
    condition.lastUpdateTime ||= now;
    if (condition.lastTransitionTime) continue;
    const before = (old.status.conditions ?? []).find(
      ({ type, status: was, lastTransitionTime }) =>
        type === condition.type && was === condition.status && lastTransitionTime,
    );
    condition.lastTransitionTime = before?.lastTransitionTime ?? now;
  }
}

function subresourceRules(changes: Changes): (request: Body, old: Body, at: At) => void {
  return (request, old, at) => {
    const here = at.child("metadata");
    validateCoreMetadata(request.metadata, here, { namespaced: false, name: () => [] });
    validateRequest(request, old, at);
    validateRequestUpdate(request, old, { at, changes });
    validateCoreMetadataUpdate(request.metadata, old.metadata, here);
  };
}
