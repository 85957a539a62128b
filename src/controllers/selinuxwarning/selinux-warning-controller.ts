import { Pod } from "../../api/core/v1/pod/pod.ts";
import { claimOfVolume, isClaimForPod } from "../../api/core/v1/pod/pod-claims.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import type { Volume } from "../../api/core/v1/volume/volume.ts";
import { CSIDriver } from "../../api/storage/v1/csi-driver.ts";
import { formatKey, formatKeyOf, keyOf, parseKey } from "../../client/resource-kind.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { quote } from "../../schema/values/quote.ts";
import { claimKeysOfPod } from "../pods-by-claim.ts";
import { mountLabels } from "./selinux-label.ts";
import { persistentVolumeFacts, podVolumeFacts, type VolumeFacts } from "./volume-facts.ts";
import { conflictNote, VolumeUsers } from "./volume-users.ts";

const byClaim = "claim";

/** Warns of pods that use one volume with different SELinux labels: on one node, only one of them could. */
export const seLinuxWarningController = queueController({
  name: "selinux-warning-controller",
  setUp(ctx) {
    const pods = ctx.informer(Pod, {
      indexers: { [byClaim]: (pod) => claimKeysOfPod(pod).map(formatKey) },
    });
    const claims = ctx.informer(PersistentVolumeClaim);
    const volumes = ctx.informer(PersistentVolume);
    const drivers = ctx.informer(CSIDriver);
    const events = ctx.events("selinux_warning");
    const known = new VolumeUsers();

    /** Undefined while the claim is not bound, and for volumes that labels do not concern. */
    const factsOf = (pod: Pod, volume: Volume): VolumeFacts | undefined => {
      const used = claimOfVolume(pod, volume);
      if (!used) return podVolumeFacts(volume);
      const claim = claims.get({ namespace: pod.metadata.namespace, name: used.name });
      if (!claim?.spec.volumeName || (used.isEphemeral && !isClaimForPod(claim, pod)))
        return undefined;
      const bound = volumes.get({ name: claim.spec.volumeName });
      if (!bound || bound.spec.claimRef?.uid !== claim.metadata.uid) return undefined;
      return persistentVolumeFacts(bound, (name) => drivers.get({ name }));
    };
    const addVolume = (pod: Pod, facts: VolumeFacts, asked: string): void => {
      const policy = pod.spec.securityContext?.seLinuxChangePolicy ?? "MountOption";
      const label = policy === "Recursive" || !facts.takesLabel ? "" : asked;
      const changePolicy = label === "" ? "Recursive" : policy;
      for (const conflict of known.add(facts, keyOf(pod), { label, changePolicy })) {
        const concerned = pods.get(conflict.pod);
        if (!concerned) return;
        const reason = `${conflict.property}Conflict`;
        events.record(concerned, { type: "Normal", reason, note: conflictNote(conflict) });
      }
    };

    const queue = ctx.queue({
      name: "selinux_warning",
      workers: 1,
      failure: "looking at the volumes of a pod failed",
      logFields: (pod) => ({ pod }),
      async work(key) {
        const pod = pods.get(parseKey(key));
        if (!pod || hasEnded(pod)) {
          known.remove(key);
          return;
        }
        const labels = mountLabels(pod);
        for (const volume of pod.spec.volumes ?? []) {
          const asked = labels.get(volume.name);
          const facts = asked && factsOf(pod, volume);
          if (!facts) continue;
          if (asked.size > 1) {
            const note = `Volume ${quote(volume.name)} is mounted twice with different SELinux labels inside this pod`;
            events.record(pod, { type: "Warning", reason: "MultipleSELinuxLabels", note });
          } else addVolume(pod, facts, [...asked][0] ?? "");
        }
      },
    });

    const enqueue = (pod: Pod): void => queue.add(formatKeyOf(pod));
    const enqueueUsers = (claim: string): void => {
      for (const pod of pods.byIndex(byClaim, claim)) enqueue(pod);
    };
    const enqueueClaim = (claim: PersistentVolumeClaim): void => {
      if (claim.spec.volumeName) enqueueUsers(formatKeyOf(claim));
    };
    const enqueueVolume = ({ spec: { claimRef } }: PersistentVolume): void => {
      if (claimRef?.uid) enqueueUsers(`${claimRef.namespace}/${claimRef.name}`);
    };
    const enqueueDriver = ({ metadata }: CSIDriver): void => {
      for (const pod of known.podsOf(metadata.name ?? "")) queue.add(pod);
    };
    ctx.onSynced(() => {
      pods.addHandler({
        added: enqueue,
        // What matters of a pod never changes but that it ends.
        updated: (pod, old) => void (hasEnded(pod) && !hasEnded(old) && enqueue(pod)),
        deleted: enqueue,
      });
      claims.addHandler({
        added: enqueueClaim,
        updated: (claim, old) =>
          void (claim.spec.volumeName !== old.spec.volumeName && enqueueClaim(claim)),
      });
      volumes.addHandler({
        added: enqueueVolume,
        updated: (volume, old) =>
          void (volume.spec.claimRef?.uid !== old.spec.claimRef?.uid && enqueueVolume(volume)),
      });
      drivers.addHandler({
        added: enqueueDriver,
        updated: (driver, old) =>
          void (driver.spec.seLinuxMount !== old.spec.seLinuxMount && enqueueDriver(driver)),
        deleted: enqueueDriver,
      });
    });

    const gauge = ctx.metrics.gauge({
      name: "selinux_warning_controller_selinux_volume_conflict",
      help: "Two pods that use one volume with different SELinux settings.",
      stability: "ALPHA",
      labels: ["property", ...podLabels("pod1"), ...podLabels("pod2")],
    });
    ctx.metrics.onRead(() => {
      gauge.reset();
      for (const { property, pod, value, other, otherValue } of known.conflicts()) {
        const one = [pod.namespace ?? "", pod.name, value];
        gauge.of(property, ...one, other.namespace ?? "", other.name, otherValue).set(1);
      }
    });
  },
});

const podLabels = (pod: string): readonly string[] => [
  `${pod}_namespace`,
  `${pod}_name`,
  `${pod}_value`,
];

const hasEnded = ({ status }: Pod): boolean =>
  status.phase === "Succeeded" || status.phase === "Failed";
