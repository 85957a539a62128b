import { CertificateSigningRequest } from "../api/certificates/v1/certificate-signing-request.ts";
import type { Client } from "../client/client.ts";

/** Approves a certificate request; the API server adds the times of the condition. */
export async function approveRequest(
  csr: CertificateSigningRequest,
  message: string,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<void> {
  const { conditions = [] } = csr.status;
  const approved = { type: "Approved", status: "True", reason: "AutoApproved", message };
  const decided = { ...csr, status: { ...csr.status, conditions: [...conditions, approved] } };
  await client.update(CertificateSigningRequest, decided, { subresource: "approval", signal });
}
