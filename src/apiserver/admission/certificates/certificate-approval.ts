import type { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { Cluster } from "../plugins.ts";
import { refusal } from "../refusal.ts";
import { maySign } from "./signer-permission.ts";

/** Who approves a request for a certificate may do so for its signer. */
export function certificateApproval(cluster: Cluster): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    operations: ["UPDATE"],
    resources: ["certificates.k8s.io/certificatesigningrequests/approval"],

    async validate(attributes) {
      const { old, context } = attributes;
      // What a client makes of the signer's name now is not what others have asked for.
      const { signerName } = (old as unknown as CertificateSigningRequest).spec;
      if (await maySign(cluster().authorizer, context.user, { verb: "approve", signerName }))
        return;
      throw refusal(
        attributes,
        `user not permitted to approve requests with signerName ${quote(signerName)}`,
      );
    },
  };
}
