import { nodeUserPrefix } from "../../../api/certificates/kubelet-request.ts";
import { signers } from "../../../api/certificates/signers.ts";
import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { readCertificateRequest } from "../../../api/certificates/x509/certificate-request.ts";
import { commonNameOf } from "../../../api/certificates/x509/subject.ts";
import { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import { decodeBase64 } from "../../../base/base64.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";
import type { NodeRule } from "./node-restriction.ts";

/** A node may write its own lease. */
export const leases: NodeRule = ({ node, attributes: { address } }) => {
  if (address.namespace !== "kube-node-lease")
    return 'can only access leases in the "kube-node-lease" system namespace';
  return address.name === node
    ? undefined
    : "can only access node lease with the same name as the requesting node";
};

/** A node may write its own CSINode. */
export const csiNodes: NodeRule = ({ node, attributes: { address } }) =>
  address.name === node
    ? undefined
    : "can only access CSINode with the same name as the requesting node";

/** A node may create and delete slices of its own devices; its authorizer checks updates. */
export const resourceSlices: NodeRule = ({ node, attributes }) => {
  const { operation } = attributes;
  if (operation === "UPDATE") return undefined;
  const slice =
    operation === "CREATE" ? objectOf(ResourceSlice, attributes) : oldOf(ResourceSlice, attributes);
  return slice.spec.nodeName === node
    ? undefined
    : `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
};

/** A node may request certificates of kubelets for itself only. */
export const signingRequests: NodeRule = ({ node, attributes }) => {
  if (attributes.operation !== "CREATE") return undefined;
  const { spec } = objectOf(CertificateSigningRequest, attributes);
  if (spec.signerName !== signers.kubeletServing && spec.signerName !== signers.kubeletClient)
    return undefined;
  const user = `${nodeUserPrefix}${node}`;
  try {
    const { subject } = readCertificateRequest(decodeBase64(spec.request ?? ""));
    if (commonNameOf(subject) === user) return undefined;
  } catch (error) {
    return `unable to parse csr: ${errorMessage(error)}`;
  }
  return `can only create a node CSR with CN=${user}`;
};
