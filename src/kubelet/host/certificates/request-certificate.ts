import type { KeyObject } from "node:crypto";
import type { KubernetesSigner } from "../../../api/certificates/signers.ts";
import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Client } from "../../../client/client.ts";
import { waitFor } from "../../../client/wait-for.ts";
import { certificateRequest } from "../../../platform/pki/certificate-request.ts";
import type { CertificateTemplate } from "./certificate-template.ts";

export interface CertificateOrder {
  readonly template: CertificateTemplate;
  readonly key: KeyObject;
  readonly signerName: KubernetesSigner;
  readonly usages: readonly string[];
  /** The name of the request; generated if not given. A request of this name that exists is used. */
  readonly name?: string | undefined;
}

/** Thrown for a request that was denied, or that its signer refused: asking again will not help. */
export class RequestRefusedError extends Error {
  override readonly name = "RequestRefusedError";
}

/** Requests a certificate, and waits until it is approved and issued. Returns it as PEM. */
export async function requestCertificate(
  client: Client,
  order: CertificateOrder,
  signal: AbortSignal,
): Promise<string> {
  const { metadata } = await createRequest(client, order, signal);
  const key = { name: metadata.name ?? "" };
  const { status } = await waitFor(client, CertificateSigningRequest, {
    key,
    signal,
    until: (csr) => isIssued(csr, metadata.uid),
  });
  return Buffer.from(status.certificate ?? "", "base64").toString("utf8");
}

async function createRequest(
  client: Client,
  { template, key, signerName, usages, name }: CertificateOrder,
  signal: AbortSignal,
): Promise<CertificateSigningRequest> {
  const { subject, dnsNames, ips } = template;
  const pem = certificateRequest({ subject, key, dnsNames, ips });
  const spec = { request: Buffer.from(pem).toString("base64"), signerName, usages };
  const metadata = name === undefined ? { generateName: "csr-" } : { name };
  try {
    return await client.create(CertificateSigningRequest, { metadata, spec }, { signal });
  } catch (error) {
    // The name is a hash of the key and the content: it is our own request of before.
    if (name === undefined || !StatusError.is(error, "AlreadyExists")) throw error;
    return client.get(CertificateSigningRequest, { name }, { signal });
  }
}

function isIssued(
  { metadata, status }: CertificateSigningRequest,
  uid: string | undefined,
): boolean {
  const { conditions = [], certificate = "" } = status;
  if (metadata.uid !== uid) throw new Error(`csr "${metadata.name}" changed UIDs`);
  for (const { type, reason = "", message = "" } of conditions) {
    const outcome = { Denied: "is denied", Failed: "failed" }[type];
    if (outcome !== undefined)
      throw new RequestRefusedError(
        `certificate signing request ${outcome}, reason: ${reason}, message: ${message}`,
      );
  }
  return certificate !== "" && conditions.some(({ type }) => type === "Approved");
}
