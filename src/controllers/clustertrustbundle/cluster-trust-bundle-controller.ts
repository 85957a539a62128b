import type { ClusterTrustBundle } from "../../api/certificates/v1beta1/cluster-trust-bundle.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { sha256Hex } from "../../base/cryptography/sha256.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { withChanges } from "../../client/with-changes.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import type { ChangingValue } from "../../controller-runtime/reconcile/changing-value.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { publisherMetrics } from "./publisher-metrics.ts";

const servingSigner = "kubernetes.io/kube-apiserver-serving";

export interface ClusterTrustBundleOptions {
  /** The version of the kind that is served. */
  readonly kind: typeof ClusterTrustBundle;
  /** The certificates with which clients verify the API server. */
  readonly rootCa: ChangingValue<string>;
}

/** Publishes the certificates of the API server's authority as the only trust bundle of their signer. */
export const clusterTrustBundleController = ({
  kind,
  rootCa,
}: ClusterTrustBundleOptions): Runnable =>
  queueController({
    name: "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    setUp(ctx) {
      const { client, signal } = ctx;
      const bundles = ctx.informer(kind, { fieldSelector: { "spec.signerName": servingSigner } });
      const observe = publisherMetrics(ctx);

      const publish = async (name: string, trustBundle: string): Promise<void> => {
        const there = bundles.get({ name });
        if (!there) {
          const spec = { signerName: servingSigner, trustBundle };
          await client.create(kind, { metadata: { name }, spec }, { signal });
        } else if (there.spec.trustBundle !== trustBundle) {
          const changed = withChanges(there, (draft) => {
            draft.spec.trustBundle = trustBundle;
          });
          await client.update(kind, changed, { signal });
        }
      };
      const removeOthers = async (name: string): Promise<void> => {
        const others = bundles.list().filter(({ metadata }) => metadata.name !== name);
        for (const other of others)
          await client.delete(kind, keyOf(other), { signal }).catch((error: unknown) => {
            if (!StatusError.is(error, "NotFound")) throw error;
          });
      };

      const queue = ctx.queue({
        name: "ca_cert_publisher_cluster_trust_bundles",
        workers: 1,
        failure: "publishing a trust bundle failed",
        work: () =>
          observe(async () => {
            const trustBundle = rootCa.current;
            const name = bundleName(trustBundle);
            await publish(name, trustBundle);
            await removeOthers(name);
          }),
      });
      const enqueue = (): void => queue.add(servingSigner);
      ctx.onStop(rootCa.onChange(enqueue));
      ctx.onSynced(() => {
        bundles.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue });
        enqueue();
      });
    },
  });

/** The bundle's name: that of its signer, and a digest of its content. */
export const bundleName = (trustBundle: string): string =>
  `${servingSigner.replaceAll("/", ":")}:${sha256Hex(trustBundle).slice(0, 24)}`;
