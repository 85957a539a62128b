import { PodCertificateRequest } from "../../../api/certificates/v1beta1/pod-certificate-request.ts";
import { invalid } from "../../../api/meta/v1/status-error.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { At } from "../../../schema/language/report.ts";
import { quote } from "../../../schema/values/quote.ts";
import { kindName } from "../../objects/address.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";
import { maySign } from "./signer-permission.ts";

/** Deciding on the request of a pod for a certificate needs the right to its signer. */
export function podCertificateSigning({ access }: Pick<PluginSetup, "access">): AdmissionPlugin {
  return {
    name: "PodCertificateSigning",
    operations: ["UPDATE"],
    resources: ["certificates.k8s.io/podcertificaterequests/status"],

    async validate(attributes) {
      const { context, address } = attributes;
      const before = oldOf(PodCertificateRequest, attributes);
      if (sameJson(objectOf(PodCertificateRequest, attributes).status, before.status)) return;
      const { signerName } = before.spec;
      if (await maySign(access.authorizer, context.user, { verb: "sign", signerName })) return;
      const report = At.root();
      report.forbidden(
        "spec.signerName",
        `User ${quote(context.user.name)} is not permitted to "sign" for signer ${quote(signerName)}`,
      );
      throw invalid(kindName(address), report.errors);
    },
  };
}
