import { PodCertificateRequest } from "../../../../api/certificates/v1beta1/pod-certificate-request.ts";
import type { Node } from "../../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../../../api/core/v1/service-account.ts";
import type { PodCertificateProjection } from "../../../../api/core/v1/volume/volume-projection.ts";
import type { Clock } from "../../../../base/clock.ts";
import type { Log } from "../../../../base/log.ts";
import { type Metrics, noMetrics } from "../../../../base/metrics.ts";
import { KeyedLock } from "../../../../base/queue/keyed-lock.ts";
import type { Random } from "../../../../base/random.ts";
import type { Client } from "../../../../client/client.ts";
import type { Informer } from "../../../../client/informer/informer-options.ts";
import { createInformers } from "../../../../client/informer/informers.ts";
import type { KubeletEvent } from "../../../kubelet-events.ts";
import { hasSynced } from "../../../pod/has-synced.ts";
import { newPodKey } from "./pod-certificate-key.ts";
import {
  afterRequest,
  metricState,
  overdue,
  type PendingCertificate,
  type PodCertificateState,
  withoutRequest,
} from "./pod-certificate-state.ts";

/** Keys and certificates of pods, which signers of the cluster issue. */
export interface PodCertificates {
  /** The key and the certificates of a source of a volume; rejects while there are none. */
  get(pod: Pod, place: SourcePlace, source: PodCertificateProjection): Promise<PodCredentials>;
  forget(podUid: string): void;
  close(): void;
}

/** A source of a projected volume. */
export interface SourcePlace {
  readonly volume: string;
  readonly index: number;
}

/** Both as PEM. */
export interface PodCredentials {
  readonly key: string;
  readonly chain: string;
  /** When to get them again. */
  readonly renewAt: number;
}

export interface PodCertificatesOptions {
  /** Calls as the node. */
  readonly client: Client;
  readonly node: () => Node | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly record: (pod: Pod, event: KubeletEvent) => void;
  /** Called for a pod when a request of it has changed. */
  readonly changed: (podUid: string) => void;
}

/** For nodes without the feature, and without an API server. */
export const noPodCertificates: PodCertificates = {
  get: () => Promise.reject(new Error("unimplemented")),
  forget() {},
  close() {},
};

/**
 * Requests certificates when pods first need them and again when they are due. Nothing of it outlives the process: pods
 * get new ones after a restart.
 */
export function podCertificates(options: PodCertificatesOptions): PodCertificates {
  const { clock, random, log, record, changed } = options;
  const informers = createInformers({ ...options, name: "kubelet-pod-certificates" });
  const pods = new Map<string, Map<string, Source>>();
  const locks = new KeyedLock();
  const jitterMs = (): number => Math.floor(random.next() * maxJitterMs);
  let requests: Informer<PodCertificateRequest> | undefined;
  const watch = (nodeName: string): Informer<PodCertificateRequest> => {
    const fieldSelector = `spec.nodeName=${nodeName}`;
    const informer = informers.of(PodCertificateRequest, { fieldSelector });
    const tell = ({ spec }: PodCertificateRequest): void => {
      if (pods.has(spec.podUID)) changed(spec.podUID);
    };
    informer.addHandler({
      added: tell,
      updated: (_, now) => tell(now),
      deleted: tell,
    });
    return informer;
  };
  showStates(options, pods);

  /** Looks up the request that a source waits for. */
  const look = (pod: Pod, state: PodCertificateState): PodCertificateState => {
    const pending = state.is === "requested" || state.is === "issued" ? state.pending : undefined;
    if (!pending) return state;
    const { namespace } = pod.metadata;
    const request = requests?.get({ namespace, name: pending.name });
    if (!request) return withoutRequest(state, clock.now());
    const after = afterRequest(state, pending, { request, jitterMs: jitterMs() });
    for (const event of after.events) record(pod, event);
    return after.state;
  };
  const isDue = (state: PodCertificateState): boolean =>
    state.is === "new" ||
    (state.is === "issued" && !state.pending && clock.now() >= state.certificate.refreshAt);

  const advance = async (
    pod: Pod,
    state: PodCertificateState,
    source: PodCertificateProjection,
  ): Promise<PodCertificateState> => {
    const looked = look(pod, state);
    const { state: told, events } = overdue(looked, clock.now());
    for (const event of events) record(pod, event);
    if (!isDue(told)) return told;
    try {
      const pending = await request(pod, source, { ...options, jitterMs: jitterMs() });
      return told.is === "issued" ? { ...told, pending } : { is: "requested", pending };
    } catch (error) {
      log.warn("requesting a certificate of a pod failed", { pod: pod.metadata.name, error });
      return told;
    }
  };
  return {
    get(pod, { volume, index }, source) {
      const { uid = "" } = pod.metadata;
      const place = `${volume}/${index}`;
      return locks.run(`${uid}/${place}`, async () => {
        const nodeName = pod.spec.nodeName ?? "";
        requests ??= watch(nodeName);
        if (!(await hasSynced(requests, clock))) throw new Error(notIssued);
        const sources = pods.get(uid) ?? new Map<string, Source>();
        pods.set(uid, sources);
        const known = sources.get(place)?.state ?? { is: "new" };
        const state = await advance(pod, known, source);
        if (pods.get(uid) === sources) sources.set(place, { state, signerName: source.signerName });
        return credentialsOf(state, clock.now());
      });
    },
    forget: (podUid) => void pods.delete(podUid),
    close: () => informers.close(),
  };
}

interface Source {
  readonly state: PodCertificateState;
  readonly signerName: string;
}

const notIssued = "credential bundle is not issued yet";

function credentialsOf(state: PodCertificateState, now: number): PodCredentials {
  if (state.is === "refused") throw new Error(state.message);
  if (state.is !== "issued") throw new Error(notIssued);
  const { key, chain, refreshAt } = state.certificate;
  // What is due was requested, or could not be: both are looked at again.
  return { key, chain, renewAt: refreshAt > now ? refreshAt : now + lookAgainMs };
}

async function request(
  { metadata, spec }: Pod,
  { signerName, keyType, maxExpirationSeconds, userAnnotations }: PodCertificateProjection,
  { client, node, jitterMs }: PodCertificatesOptions & { readonly jitterMs: number },
): Promise<PendingCertificate> {
  const { name = "", namespace, uid = "" } = metadata;
  const { serviceAccountName = "", nodeName = "" } = spec;
  const account = await client.get(ServiceAccount, { name: serviceAccountName, namespace });
  const nodeUID = node()?.metadata.uid;
  if (nodeUID === undefined) throw new Error(`node ${JSON.stringify(nodeName)} not found`);
  const key = await newPodKey(keyType);
  const created = await client.create(PodCertificateRequest, {
    metadata: {
      namespace,
      generateName: "req-",
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }],
    },
    spec: {
      ...{ signerName, podName: name, podUID: uid, serviceAccountName, nodeName, nodeUID },
      serviceAccountUID: account.metadata.uid ?? "",
      ...{ maxExpirationSeconds, unverifiedUserAnnotations: userAnnotations },
      ...{ pkixPublicKey: "", proofOfPossession: "", stubPKCS10Request: key.request },
    },
  });
  const createdAt = Date.parse(created.metadata.creationTimestamp ?? "");
  return {
    key: key.pem,
    name: created.metadata.name ?? "",
    abandonAt: createdAt + deletedMs + jitterMs,
  };
}

function showStates(
  { metrics = noMetrics, clock }: Pick<PodCertificatesOptions, "metrics" | "clock">,
  pods: ReadonlyMap<string, ReadonlyMap<string, Source>>,
): void {
  const gauge = metrics.gauge({
    name: "kubelet_podcertificate_states",
    help: "Gauge vector reporting the number of pod certificate projected volume sources, faceted by signer_name and state.",
    stability: "ALPHA",
    labels: ["signer_name", "state"],
  });
  metrics.onRead(() => {
    gauge.reset();
    for (const sources of pods.values())
      for (const { state, signerName } of sources.values())
        gauge.of(signerName, metricState(state, clock.now())).add(1);
  });
}

const minute = 60_000;
const maxJitterMs = 5 * minute;
const lookAgainMs = minute;
/** A request that informers do not show for so long was deleted. */
const deletedMs = 10 * minute;
