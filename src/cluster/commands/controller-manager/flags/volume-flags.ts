import { boolFlag, durationFlag, intFlag, stringFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent } from "./controller-flag.ts";

const attachDetach = "persistentvolume-attach-detach-controller";

export const attachDetachFlags = section("Persistentvolume-attach-detach-controller flags", {
  "disable-attach-detach-reconcile-sync": absent(
    attachDetach,
    "AttachDetachController.DisableAttachDetachReconcilerSync",
    boolFlag({ usage: "whether what is attached is not compared with what should be" }),
  ),
  "attach-detach-reconcile-sync-period": absent(
    attachDetach,
    "AttachDetachController.ReconcilerSyncLoopPeriod",
    durationFlag({ usage: "how often it is compared; more than a second", default: 60_000 }),
  ),
  "disable-force-detach-on-timeout": absent(
    attachDetach,
    "AttachDetachController.disableForceDetachOnTimeout",
    boolFlag({ usage: "whether volumes of nodes that are gone stay attached" }),
  ),
});

const binder = "persistentvolume-binder-controller";
const recycler =
  "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration";

export const volumeBinderFlags = section("Persistentvolume-binder-controller flags", {
  "pvclaimbinder-sync-period": absent(
    binder,
    "PersistentVolumeBinderController.PVClaimBinderSyncPeriod",
    durationFlag({ usage: "how often volumes and claims are looked at anew", default: 15_000 }),
  ),
  "enable-dynamic-provisioning": absent(
    binder,
    "PersistentVolumeBinderController.VolumeConfiguration.EnableDynamicProvisioning",
    boolFlag({ usage: "whether volumes are made for claims", default: true }),
  ),
  "enable-hostpath-provisioner": absent(
    binder,
    "PersistentVolumeBinderController.VolumeConfiguration.EnableHostPathProvisioning",
    boolFlag({ usage: "whether they may be directories of a node, for tests" }),
  ),
  "flex-volume-plugin-dir": absent(
    binder,
    "PersistentVolumeBinderController.VolumeConfiguration.FlexVolumePluginDir",
    stringFlag({
      usage: "the `DIR` of programs for further kinds of volumes",
      default: "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
    }),
  ),
  "pv-recycler-pod-template-filepath-nfs": absent(
    binder,
    `${recycler}.PodTemplateFilePathNFS`,
    stringFlag({ usage: "the `FILE` of a pod that empties NFS volumes" }),
  ),
  "pv-recycler-minimum-timeout-nfs": absent(
    binder,
    `${recycler}.MinimumTimeoutNFS`,
    intFlag({ usage: "how many seconds it has at least", default: 300 }),
  ),
  "pv-recycler-increment-timeout-nfs": absent(
    binder,
    `${recycler}.IncrementTimeoutNFS`,
    intFlag({ usage: "how many seconds more for each Gi", default: 30 }),
  ),
  "pv-recycler-pod-template-filepath-hostpath": absent(
    binder,
    `${recycler}.PodTemplateFilePathHostPath`,
    stringFlag({ usage: "the `FILE` of a pod that empties directories of a node" }),
  ),
  "pv-recycler-minimum-timeout-hostpath": absent(
    binder,
    `${recycler}.MinimumTimeoutHostPath`,
    intFlag({ usage: "how many seconds it has at least", default: 60 }),
  ),
  "pv-recycler-timeout-increment-hostpath": absent(
    binder,
    `${recycler}.IncrementTimeoutHostPath`,
    intFlag({ usage: "how many seconds more for each Gi", default: 30 }),
  ),
});

export const ephemeralVolumeFlags = section("Ephemeral-volume-controller flags", {
  "concurrent-ephemeralvolume-syncs": absent(
    "ephemeral-volume-controller",
    "EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs",
    intFlag({ usage: "how many pods get claims for such volumes at a time", default: 5 }),
  ),
});
