import type { KubernetesSigner } from "../../api/certificates/signers.ts";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { hasFailed, isApproved } from "../../api/certificates/v1/request-decision.ts";
import { encodeBase64 } from "../../base/base64.ts";
import type { CertificateSigner } from "../../base/cryptography/certificate-signer.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import type { QueueControllerContext } from "../../controller-runtime/reconcile/queue-controller.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { certificateRequestController, requestOf } from "../certificate-request-controller.ts";
import { certificateContent } from "./certificate-content.ts";
import { isKubernetesSigner, signerFault } from "./signer-fault.ts";

/** The authorities that sign, by the name of the signer; requests to a signer without one wait. */
export type CertificateSigners = Readonly<Partial<Record<KubernetesSigner, CertificateSigner>>>;

export interface CsrSigningOptions {
  readonly signers: CertificateSigners;
  /** The longest validity of certificates, in milliseconds. */
  readonly maxDurationMs: number;
}

/** Signs approved certificate requests, or records why their signer does not. */
export const csrSigningController = ({ signers, maxDurationMs }: CsrSigningOptions): Runnable =>
  certificateRequestController({
    name: "certificatesigningrequest-signing-controller",

    async handle(csr, ctx) {
      const { spec, status } = csr;
      const { signerName, usages = [] } = spec;
      if (!isApproved(status) || hasFailed(status) || !isKubernetesSigner(signerName)) return;
      const signer = signers[signerName];
      if (!signer) return;
      const request = requestOf(csr);
      const now = ctx.clock.now();
      const fault = signerFault(signerName, request, usages);
      if (fault !== undefined) {
        const lastUpdateTime = formatTime(timeFromMillis(now));
        const failed = { ...failure, message: fault, lastUpdateTime };
        const conditions = [...(status.conditions ?? []), failed];
        await updateStatus(csr, { ...status, conditions }, ctx);
        return;
      }
      const authorityNotAfter = signer.notAfter;
      const content = certificateContent(spec, request, { maxDurationMs, authorityNotAfter, now });
      const certificate = encodeBase64(new TextEncoder().encode(signer.sign(content)));
      await updateStatus(csr, { ...status, certificate }, ctx);
    },
  });

const failure = { type: "Failed", status: "True", reason: "SignerValidationFailure" };

async function updateStatus(
  csr: CertificateSigningRequest,
  status: object,
  { client, signal }: QueueControllerContext,
): Promise<void> {
  const changed = { ...csr, status };
  await client.update(CertificateSigningRequest, changed, { subresource: "status", signal });
}
