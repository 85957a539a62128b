import { signers } from "../../../api/certificates/signers.ts";
import type { NodeAddress } from "../../../api/core/v1/node/node-status.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { type Metrics, noMetrics } from "../../../base/metrics.ts";
import type { Random } from "../../../base/random.ts";
import type { Client } from "../../../client/client.ts";
import type { KeyPair } from "../../../platform/pki/pki.ts";
import { servingCertificateMetrics } from "./certificate-metrics.ts";
import { certificateStore, type StoredPair } from "./certificate-store.ts";
import { servingTemplate } from "./certificate-template.ts";
import { followPair, type PairFiles, readPair, selfSignedFiles } from "./file-certificate.ts";
import { RotatingCertificate } from "./rotating-certificate.ts";

export interface ServingCertificateOptions {
  /** The directory of certificates and keys. */
  readonly certDir: string;
  readonly nodeName: string;
  /** The name in a self-signed certificate. */
  readonly hostname: string;
  /** The files of a certificate that is managed by others. */
  readonly files?: PairFiles | undefined;
  /** The client that requests certificates (`serverTLSBootstrap`); without it, none are requested. */
  readonly client?: Client | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The certificate by which a node serves its kubelet's API. */
export interface ServingCertificate {
  /** The current pair; undefined while none was issued, or it has expired. */
  current(): KeyPair | undefined;
  /** Calls back with each new pair; returns a function that ends that. */
  onChange(call: (pair: KeyPair) => void): () => void;
  /** Says which addresses the node has; a requested certificate contains them. */
  setAddresses(addresses: readonly NodeAddress[]): void;
  close(): Promise<void>;
}

/**
 * Opens the serving certificate of a node: one that is requested from the cluster, that of given files, or a
 * self-signed one. Replaced files are read again.
 */
export function openServingCertificate(
  options: ServingCertificateOptions,
): Promise<ServingCertificate> {
  const { client } = options;
  return client ? requestedCertificate(options, client) : certificateOfFiles(options);
}

async function certificateOfFiles(options: ServingCertificateOptions): Promise<ServingCertificate> {
  const { certDir, hostname, clock, log } = options;
  const now = new Date(clock.now());
  const files = options.files ?? (await selfSignedFiles(certDir, { hostname, now }));
  let current = await readPair(files);
  const { tell, onChange } = listeners();
  const following = followPair(files, {
    clock,
    log,
    onChange(pair) {
      if (pair.cert === current.cert) return;
      current = pair;
      tell(pair);
    },
  });
  return {
    current: () => current,
    onChange,
    setAddresses() {},
    close: async () => following.close(),
  };
}

async function requestedCertificate(
  options: ServingCertificateOptions,
  client: Client,
): Promise<ServingCertificate> {
  const { certDir, nodeName, files, metrics = noMetrics, clock, random, log } = options;
  const store = await certificateStore(certDir, "kubelet-server");
  const stored = (await store.current()) ?? (files && (await readPair(files)));
  const isValid = stored !== undefined && stored.notAfter > clock.now();
  let addresses: readonly NodeAddress[] = [];
  const { tell, onChange } = listeners();
  const rotating = new RotatingCertificate({
    ...{ store, client, clock, random, log },
    initial: isValid ? stored : undefined,
    signerName: signers.kubeletServing,
    usages: ["digital signature", "server auth"],
    template: () => servingTemplate(nodeName, addresses),
    metrics: servingCertificateMetrics({ metrics, clock, current: () => rotating.current }),
    onChange: tell,
  });
  rotating.start();
  return {
    current: () => rotating.current,
    onChange,
    setAddresses(given) {
      addresses = given;
      rotating.templateChanged();
    },
    close: () => rotating.close(),
  };
}

function listeners() {
  const calls = new Set<(pair: KeyPair) => void>();
  return {
    tell(pair: StoredPair): void {
      for (const call of calls) call(pair);
    },
    onChange(call: (pair: KeyPair) => void): () => void {
      calls.add(call);
      return () => calls.delete(call);
    },
  };
}
