import { ClusterTrustBundle } from "../../../../api/certificates/v1beta1/cluster-trust-bundle.ts";
import { pemBlocks } from "../../../../api/certificates/x509/pem.ts";
import type { ClusterTrustBundleProjection } from "../../../../api/core/v1/volume/volume-projection.ts";
import type { Clock } from "../../../../base/clock.ts";
import type { Log } from "../../../../base/log.ts";
import type { Random } from "../../../../base/random.ts";
import type { Client } from "../../../../client/client.ts";
import type { Informer } from "../../../../client/informer/informer-options.ts";
import { createInformers } from "../../../../client/informer/informers.ts";
import { labelSelector } from "../../../../schema/selectors/label-selector.ts";
import { hasSynced } from "../../../pod/has-synced.ts";

/** The certificates that pods get from cluster trust bundles. */
export interface TrustAnchors {
  /** The certificates of a projection, each once; rejects if there are none and they are not optional. */
  get(podUid: string, projection: ClusterTrustBundleProjection): Promise<string>;
  forget(podUid: string): void;
  close(): void;
}

export interface TrustAnchorsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called for each pod with certificates when bundles have changed. */
  readonly changed: (podUid: string) => void;
}

/** Watches all cluster trust bundles as soon as a pod needs one. */
export function trustAnchors(options: TrustAnchorsOptions): TrustAnchors {
  const informers = createInformers({ ...options, name: "kubelet-trust-anchors" });
  const pods = new Set<string>();
  let bundles: Informer<ClusterTrustBundle> | undefined;
  const tell = (): void => {
    for (const podUid of pods) options.changed(podUid);
  };
  const watch = (): Informer<ClusterTrustBundle> => {
    const informer = informers.of(ClusterTrustBundle);
    informer.addHandler({ added: tell, updated: tell, deleted: tell });
    return informer;
  };
  return {
    async get(podUid, projection) {
      pods.add(podUid);
      bundles ??= watch();
      if (!(await hasSynced(bundles, options.clock)))
        throw new Error("ClusterTrustBundle informer has not yet synced");
      return anchorsOf(bundlesOf(projection, bundles));
    },
    forget: (podUid) => void pods.delete(podUid),
    close: () => informers.close(),
  };
}

function bundlesOf(
  { name, signerName, labelSelector: labels, optional = false }: ClusterTrustBundleProjection,
  bundles: Informer<ClusterTrustBundle>,
): readonly ClusterTrustBundle[] {
  if (name !== undefined) {
    const bundle = bundles.get({ name });
    if (bundle) return [bundle];
    if (optional) return [];
    throw new Error(
      `while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "${name}" not found`,
    );
  }
  if (signerName === undefined)
    throw new Error("ClusterTrustBundle projection requires either name or signerName to be set");
  const selector = labelSelector(labels);
  const found = bundles
    .list()
    .filter(
      ({ spec, metadata }) =>
        spec.signerName === signerName && selector.matches(metadata.labels ?? {}),
    );
  if (found.length === 0 && !optional)
    throw new Error("combination of signerName and labelSelector matched zero ClusterTrustBundles");
  return found;
}

/** Sorted, so that files change only if certificates do. */
function anchorsOf(bundles: readonly ClusterTrustBundle[]): string {
  const anchors = new Set<string>();
  for (const { spec } of bundles)
    for (const { bytes } of pemBlocks(spec.trustBundle))
      anchors.add(Buffer.from(bytes).toString("base64"));
  return [...anchors]
    .sort()
    .map((text) => `-----BEGIN CERTIFICATE-----\n${lines(text)}-----END CERTIFICATE-----\n`)
    .join("");
}

const lines = (base64: string): string => base64.replaceAll(/.{1,64}/g, "$&\n");
