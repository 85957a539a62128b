import { kubeletClientFault } from "../../api/certificates/kubelet-request.ts";
import { signers } from "../../api/certificates/signers.ts";
import type { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import type { CertificateRequest } from "../../api/certificates/x509/certificate-request.ts";
import { commonNameOf } from "../../api/certificates/x509/subject.ts";

/** A purpose of certificates for which requests are approved if their creator may create such ones. */
export interface Purpose {
  /** The subresource of certificatesigningrequests that the creator must be allowed to create. */
  readonly subresource: string;
  /** The message of the condition Approved. */
  readonly message: string;
}

const selfNodeClient: Purpose = {
  subresource: "selfnodeclient",
  message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
};
const nodeClient: Purpose = {
  subresource: "nodeclient",
  message: "Auto approving kubelet client certificate after SubjectAccessReview.",
};

/** The purposes of a request, in the order in which they are tried; none for one that is not a kubelet's. */
export function recognizedPurposes(
  { spec }: Pick<CertificateSigningRequest, "spec">,
  request: Pick<CertificateRequest, "subject" | "names">,
): readonly Purpose[] {
  if (spec.signerName !== signers.kubeletClient) return [];
  if (kubeletClientFault(request, spec.usages ?? []) !== undefined) return [];
  const isOwn = spec.username === commonNameOf(request.subject);
  return isOwn ? [selfNodeClient, nodeClient] : [nodeClient];
}
