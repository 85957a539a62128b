import { value } from "../../../schema/language/field.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { formatLabels } from "../../core/v1/service/service-columns.ts";
import { nameColumn } from "../../meta/v1/columns.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import {
  PodCertificateRequestSpec,
  PodCertificateRequestStatus,
} from "./pod-certificate-request-spec.ts";
import { validatePodCertificateRequestStatus } from "./pod-certificate-request-status.ts";
import { validatePodCertificateRequestSpec } from "./pod-certificate-request-validation.ts";

export const PodCertificateRequest = kind({
  group: "certificates.k8s.io",
  version: "v1beta1",
  kind: "PodCertificateRequest",
  plural: "podcertificaterequests",
  scope: "Namespaced",
  stability: "beta",
  doc: "Asks a signer for a certificate of a pod.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, PodCertificateRequestSpec).expected().doc("The certificate that is asked for."),
    status: value(3, PodCertificateRequestStatus).doc("What became of the request."),
  },
  subresources: ["status"],
  rules: [({ spec }, at) => validatePodCertificateRequestSpec(spec, at.child("spec"))],
  updateRules({ spec }, old, { at }) {
    if (!semanticEqual(PodCertificateRequestSpec, spec, old.spec))
      at.invalid("spec", internalForm(PodCertificateRequestSpec, spec), "field is immutable");
  },
  statusRules(request, old, { at }) {
    if (at.errors.length === 0) validatePodCertificateRequestStatus(request, old, at);
  },
  strategy: {
    initialStatus: {},
    statusKeeps: ["metadata"],
    resets: { "": [], status: ["spec"] },
    conditionalUpdateOnly: true,
  },
  columns: [
    nameColumn,
    {
      name: "PodName",
      type: "string",
      description: "podName is the name of the pod into which the certificate will be mounted.",
      cell: ({ spec }) => spec.podName,
    },
    {
      name: "ServiceAccountName",
      type: "string",
      description: "serviceAccountName is the name of the service account the pod is running as.",
      cell: ({ spec }) => spec.serviceAccountName,
    },
    {
      name: "NodeName",
      type: "string",
      description: "nodeName is the name of the node the pod is assigned to.",
      cell: ({ spec }) => spec.nodeName,
    },
    {
      name: "SignerName",
      type: "string",
      description:
        "signerName indicates the requested signer.\n\nAll signer names beginning with `kubernetes.io` are reserved for use by the Kubernetes project.  There is currently one well-known signer documented by the Kubernetes project, `kubernetes.io/kube-apiserver-client-pod`, which will issue client certificates understood by kube-apiserver.  It is currently unimplemented.",
      cell: ({ spec }) => spec.signerName,
    },
    {
      name: "State",
      type: "string",
      description: "Is the request Pending, Issued, Denied, or Failed?",
      cell: ({ status }) => stateOf(status),
    },
    {
      name: "UnverifiedUserAnnotations",
      type: "string",
      description:
        "unverifiedUserAnnotations allow pod authors to pass additional information to the signer implementation.  Kubernetes does not restrict or validate this metadata in any way.\n\nEntries are subject to the same validation as object metadata annotations, with the addition that all keys must be domain-prefixed. No restrictions are placed on values, except an overall size limitation on the entire field.\n\nSigners should document the keys and values they support.  Signers should deny requests that contain keys they do not recognize.",
      cell: ({ spec }) => formatLabels(spec.unverifiedUserAnnotations),
    },
  ],
  selectableFields: {
    "spec.signerName": ({ spec }) => spec.signerName,
    "spec.podName": ({ spec }) => spec.podName,
    "spec.nodeName": ({ spec }) => spec.nodeName,
  },
});
export interface PodCertificateRequest extends ObjectOf<typeof PodCertificateRequest> {}

/** The last of the conditions that is an outcome. */
const stateOf = ({ conditions = [] }: PodCertificateRequestStatus): string =>
  conditions.map(({ type }) => type).findLast((type) => outcomes.includes(type)) ?? "Pending";

const outcomes = ["Issued", "Denied", "Failed"];
