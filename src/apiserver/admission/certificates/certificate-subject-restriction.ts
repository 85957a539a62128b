import { signers } from "../../../api/certificates/signers.ts";
import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { readCertificateRequest } from "../../../api/certificates/x509/certificate-request.ts";
import type { NameAttribute } from "../../../api/certificates/x509/names.ts";
import { organizationsOf } from "../../../api/certificates/x509/subject.ts";
import { decodeBase64 } from "../../../base/base64.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import { rejection } from "../rejection.ts";
import { objectOf } from "../typed-attributes.ts";

const signer = signers.client;

/** Rejects certificates for the group system:masters, which may do everything. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  operations: ["CREATE"],
  resources: ["certificates.k8s.io/certificatesigningrequests"],

  validate(attributes) {
    const { spec } = objectOf(CertificateSigningRequest, attributes);
    if (spec.signerName !== signer) return;
    const subject = subjectOf(attributes, spec.request ?? "");
    if (organizationsOf(subject).includes("system:masters"))
      throw rejection(
        attributes,
        `use of ${signer} signer with system:masters group is not allowed`,
      );
  },
};

function subjectOf(attributes: Attributes, request: string): readonly NameAttribute[] {
  try {
    return readCertificateRequest(decodeBase64(request)).subject;
  } catch (error) {
    throw rejection(attributes, `failed to parse CSR: ${(error as Error).message}`);
  }
}
