import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { oldOf } from "../typed-attributes.ts";
import { maySign } from "./signer-permission.ts";

/** Approving or denying a certificate request needs the right to its signer. */
export function certificateApproval({ access }: Pick<PluginSetup, "access">): AdmissionPlugin {
  return {
    name: "CertificateApproval",
    operations: ["UPDATE"],
    resources: ["certificates.k8s.io/certificatesigningrequests/approval"],

    async validate(attributes) {
      const { context } = attributes;
      // The signer of the stored request counts, not the one that the client sends now.
      const { signerName } = oldOf(CertificateSigningRequest, attributes).spec;
      if (await maySign(access.authorizer, context.user, { verb: "approve", signerName })) return;
      throw rejection(
        attributes,
        `user not permitted to approve requests with signerName ${quote(signerName)}`,
      );
    },
  };
}
