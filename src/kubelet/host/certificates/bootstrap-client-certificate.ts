import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { signers } from "../../../api/certificates/signers.ts";
import { delays } from "../../../base/backoff.ts";
import { type Clock, sleep, withDeadline } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Random } from "../../../base/random.ts";
import type { Client } from "../../../client/client.ts";
import { writePrivateFile } from "../../../platform/files.ts";
import { readIfPresent } from "../../../platform/pki/pki-files.ts";
import type { CertificateStore, StoredPair } from "./certificate-store.ts";
import { type CertificateTemplate, clientTemplate } from "./certificate-template.ts";
import { keyPem, newKey } from "./new-key.ts";
import { RequestRefusedError, requestCertificate } from "./request-certificate.ts";

/** The usages of a kubelet's client certificate with a key that enciphers nothing. */
export const clientUsages: readonly string[] = ["digital signature", "client auth"];

export interface BootstrapOptions {
  readonly nodeName: string;
  readonly certDir: string;
  readonly store: CertificateStore;
  /** A client with the credentials of a machine that joins. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Requests the first client certificate of a node, and waits until it is issued. The key is kept in a file
 * meanwhile, and the name of the request is a hash of it: a restarted kubelet waits for the same request.
 * Rejects if the request is denied.
 */
export async function bootstrapClientCertificate(options: BootstrapOptions): Promise<StoredPair> {
  const { nodeName, certDir, store, client, clock, random, log, signal } = options;
  const keyPath = join(certDir, "kubelet-client.key.tmp");
  const key = await keptKey(certDir, keyPath);
  const template = clientTemplate(nodeName);
  const name = requestName(key, template);
  const order = { template, key, name, signerName: signers.kubeletClient, usages: clientUsages };
  const nextDelay = delays(retry, random);
  for (;;) {
    try {
      log.info("waiting for a client certificate", { csr: name });
      const deadline = { clock, ms: waitMs, signal };
      const cert = await withDeadline(deadline, (ending) =>
        requestCertificate(client, order, ending),
      );
      const pair = await store.update({ cert, key: keyPem(key) }, new Date(clock.now()));
      await rm(keyPath, { force: true });
      return pair;
    } catch (error) {
      if (signal.aborted || error instanceof RequestRefusedError) throw error;
      log.error("requesting a client certificate failed", error, { csr: name });
      await sleep(clock, nextDelay(), signal);
    }
  }
}

const waitMs = 3_600_000;
const retry = { duration: 2000, factor: 2, jitter: 0.1, steps: 4 };

/** The key of an earlier attempt, or a new one. */
async function keptKey(certDir: string, path: string): Promise<KeyObject> {
  const pem = await readIfPresent(path);
  try {
    if (pem !== undefined) return createPrivateKey(pem);
  } catch {
    // A damaged file is replaced.
  }
  const key = newKey();
  await mkdir(certDir, { recursive: true, mode: 0o755 });
  await writePrivateFile(path, keyPem(key));
  return key;
}

/** The name of a request: the same for the same key and content. */
function requestName(key: KeyObject, { subject }: CertificateTemplate): string {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const texts = [subject.commonName, ...subject.organizations, ...clientUsages];
  const hash = createHash("sha512-256");
  for (const part of [publicKey, ...texts.map((text) => Buffer.from(text))])
    hash.update(`${part.toString("base64url")}|`);
  return `node-csr-${hash.digest("base64url")}`;
}
