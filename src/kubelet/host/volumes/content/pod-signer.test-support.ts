import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { PodCertificateRequest } from "../../../../api/certificates/v1beta1/pod-certificate-request.ts";
import { wholeOf } from "../../../../base/der-reader.ts";
import type { Client } from "../../../../client/client.ts";
import { readChildren, readDer } from "../../../../platform/pki/read-der.ts";
import { encodeName, issueCertificate } from "../../../../platform/pki/x509.ts";
import { formatTime, timeFromMillis } from "../../../../schema/values/time.ts";

/** A signer for tests: it decides on the request of a pod for a certificate. */
export interface PodSigner {
  /** The certificate of its authority, as PEM. */
  readonly authority: string;
  /** Issues a certificate for two hours, which is due after one; returns it as PEM. */
  issue(request: PodCertificateRequest): Promise<string>;
  refuse(
    request: PodCertificateRequest,
    type: "Denied" | "Failed",
    why: { readonly reason: string; readonly message: string },
  ): Promise<void>;
}

/** Creates a signer with an authority of its own. */
export function podSigner(client: Client, now: () => number): PodSigner {
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = { commonName: "signer", organizations: [] };
  const issuer = { name: encodeName(subject), key };
  const time = (ms: number): string => formatTime(timeFromMillis(ms));
  const condition = (type: string, reason: string, message = "") => ({
    ...{ type, status: "True", reason, message, lastTransitionTime: time(now()) },
  });
  const write = async (request: PodCertificateRequest, status: object): Promise<void> => {
    const object = { ...request, status } as never;
    await client.update(PodCertificateRequest, object, { subresource: "status" });
  };
  return {
    authority: issueCertificate({
      ...{ issuer, subject, publicKey: createPublicKey(key), isCa: true },
      notBefore: new Date(now() - hour),
      notAfter: new Date(now() + 24 * hour),
    }),
    async issue(request) {
      const start = Math.floor(now() / 1000) * 1000;
      const [notBefore, refresh, notAfter] = [0, hour, 2 * hour].map((ms) => start + ms);
      const chain = issueCertificate({
        ...{ issuer, publicKey: requestedKey(request) },
        subject: { commonName: request.spec.podName, organizations: [] },
        notBefore: new Date(notBefore ?? 0),
        notAfter: new Date(notAfter ?? 0),
      });
      await write(request, {
        conditions: [condition("Issued", "Issued")],
        certificateChain: chain,
        notBefore: time(notBefore ?? 0),
        beginRefreshAt: time(refresh ?? 0),
        notAfter: time(notAfter ?? 0),
      });
      return chain;
    },
    refuse: (request, type, { reason, message }) =>
      write(request, { conditions: [condition(type, reason, message)] }),
  };
}

function requestedKey({ spec }: PodCertificateRequest) {
  const [signed] = readChildren(readDer(Buffer.from(spec.stubPKCS10Request, "base64")));
  const spki = signed && readChildren(signed)[2];
  if (!spki) throw new Error("the request has no key");
  return createPublicKey({ key: Buffer.from(wholeOf(spki)), format: "der", type: "spki" });
}

const hour = 3_600_000;
