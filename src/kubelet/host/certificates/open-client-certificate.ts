import { signers } from "../../../api/certificates/signers.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { type Metrics, noMetrics } from "../../../base/metrics.ts";
import type { Random } from "../../../base/random.ts";
import type { Client } from "../../../client/client.ts";
import type { KeyPair } from "../../../platform/pki/pki.ts";
import { bootstrapClientCertificate, clientUsages } from "./bootstrap-client-certificate.ts";
import { clientCertificateMetrics } from "./certificate-metrics.ts";
import {
  type CertificateStore,
  certificateStore,
  joinedPem,
  pairIn,
  type StoredPair,
} from "./certificate-store.ts";
import { clientTemplate } from "./certificate-template.ts";
import { RotatingCertificate } from "./rotating-certificate.ts";

export interface ClientCertificateOptions {
  /** The directory of certificates and keys. */
  readonly certDir: string;
  readonly nodeName: string;
  /** The client that requests the first certificate; without it, there must be a valid one. */
  readonly bootstrapClient?: Client | undefined;
  /** The pair to use if the directory has none, such as that of a kubeconfig. */
  readonly initial?: KeyPair | undefined;
  /** Creates a client that authenticates with the current pair, to request the next. */
  readonly clientWith: (current: () => KeyPair) => Client;
  /** Whether the certificate is replaced before it expires; true if not given. */
  readonly rotates?: boolean | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborts the wait for the first certificate. */
  readonly signal: AbortSignal;
}

/** The certificate by which a node calls the API server. */
export interface ClientCertificate {
  /** The path of the file with the current pair. */
  readonly path: string;
  current(): KeyPair;
  /** Calls back with each new pair; returns a function that ends that. */
  onChange(call: (pair: KeyPair) => void): () => void;
  close(): Promise<void>;
}

/**
 * Opens the client certificate of a node: that of the directory, or a new one for which it waits. It is
 * replaced before it expires.
 */
export async function openClientCertificate(
  options: ClientCertificateOptions,
): Promise<ClientCertificate> {
  const { certDir, nodeName, rotates = true, metrics = noMetrics, clock, random, log } = options;
  const store = await certificateStore(certDir, "kubelet-client");
  const initial = await firstPair(options, store);
  let current = initial;
  const listeners = new Set<(pair: KeyPair) => void>();
  const rotating = new RotatingCertificate({
    ...{ store, initial, clock, random, log },
    signerName: signers.kubeletClient,
    usages: clientUsages,
    template: () => clientTemplate(nodeName),
    client: options.clientWith(() => current),
    metrics: clientCertificateMetrics({ metrics, clock, current: () => rotating.current }),
    onChange(pair) {
      current = pair;
      for (const call of listeners) call(pair);
    },
  });
  if (rotates) rotating.start();
  return {
    path: store.path,
    current: () => current,
    onChange(call) {
      listeners.add(call);
      return () => listeners.delete(call);
    },
    close: () => rotating.close(),
  };
}

async function firstPair(
  options: ClientCertificateOptions,
  store: CertificateStore,
): Promise<StoredPair> {
  const { initial, bootstrapClient: client, clock } = options;
  const isValid = (pair: StoredPair): boolean => pair.notAfter > clock.now();
  const stored = await store.current();
  if (stored && isValid(stored)) return stored;
  const given = initial && pairIn(joinedPem(initial), "the kubeconfig");
  if (given && isValid(given)) return store.update(given, new Date(clock.now()));
  if (client) return bootstrapClientCertificate({ ...options, store, client });
  throw new Error(
    stored
      ? `the client certificate in ${store.path} expired on ${stored.certificate.validTo}: join the cluster again`
      : `there is no client certificate in ${store.path}: join the cluster first`,
  );
}
