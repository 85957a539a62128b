import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";
import { maySign } from "./signer-permission.ts";

/** Issuing a certificate, or reporting why none is issued, needs the right to its signer. */
export function certificateSigning({ access }: Pick<PluginSetup, "access">): AdmissionPlugin {
  return {
    name: "CertificateSigning",
    operations: ["UPDATE"],
    resources: ["certificates.k8s.io/certificatesigningrequests/status"],

    async validate(attributes) {
      const { context } = attributes;
      const before = oldOf(CertificateSigningRequest, attributes);
      if (isSameOutcome(objectOf(CertificateSigningRequest, attributes), before)) return;
      const { signerName } = before.spec;
      if (await maySign(access.authorizer, context.user, { verb: "sign", signerName })) return;
      throw rejection(
        attributes,
        `user not permitted to sign requests with signerName ${quote(signerName)}`,
      );
    },
  };
}

const isSameOutcome = (
  { status }: CertificateSigningRequest,
  { status: old }: CertificateSigningRequest,
): boolean =>
  (status?.certificate ?? "") === (old?.certificate ?? "") &&
  sameJson(status?.conditions ?? [], old?.conditions ?? []);
