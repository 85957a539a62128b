import { boolFlag, durationFlag, intFlag, stringFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";
import { unused } from "./controller-flag.ts";

const watched = "changes of attachments are watched";

export const attachDetachFlags = section("Persistentvolume-attach-detach-controller flags", {
  "disable-attach-detach-reconcile-sync": unused(
    watched,
    "AttachDetachController.DisableAttachDetachReconcilerSync",
    boolFlag({ usage: "whether to disable comparing attached volumes with the desired ones" }),
  ),
  "attach-detach-reconcile-sync-period": unused(
    watched,
    "AttachDetachController.ReconcilerSyncLoopPeriod",
    durationFlag({
      usage: "how often attached volumes are compared; more than a second",
      default: 60_000,
    }),
  ),
});

const recycler =
  "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration";

export const volumeBinderFlags = section("Persistentvolume-binder-controller flags", {
  "enable-hostpath-provisioner": unused(
    "controllers do not write files",
    "PersistentVolumeBinderController.VolumeConfiguration.EnableHostPathProvisioning",
    boolFlag({ usage: "whether to provision hostPath volumes, for tests" }),
  ),
  "flex-volume-plugin-dir": unused(
    "flex volumes are not supported",
    "PersistentVolumeBinderController.VolumeConfiguration.FlexVolumePluginDir",
    stringFlag({
      usage: "the `DIR` with flex volume plugins",
      default: "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
    }),
  ),
  "pv-recycler-pod-template-filepath-nfs": unused(
    "volumes are not recycled",
    `${recycler}.PodTemplateFilePathNFS`,
    stringFlag({ usage: "the `FILE` with a pod template that recycles NFS volumes" }),
  ),
  "pv-recycler-minimum-timeout-nfs": unused(
    "volumes are not recycled",
    `${recycler}.MinimumTimeoutNFS`,
    intFlag({ usage: "the minimum deadline of that pod in seconds", default: 300 }),
  ),
  "pv-recycler-increment-timeout-nfs": unused(
    "volumes are not recycled",
    `${recycler}.IncrementTimeoutNFS`,
    intFlag({ usage: "the additional seconds of that deadline for each Gi", default: 30 }),
  ),
  "pv-recycler-pod-template-filepath-hostpath": unused(
    "volumes are not recycled",
    `${recycler}.PodTemplateFilePathHostPath`,
    stringFlag({ usage: "the `FILE` with a pod template that recycles hostPath volumes" }),
  ),
  "pv-recycler-minimum-timeout-hostpath": unused(
    "volumes are not recycled",
    `${recycler}.MinimumTimeoutHostPath`,
    intFlag({ usage: "the minimum deadline of that pod in seconds", default: 60 }),
  ),
  "pv-recycler-timeout-increment-hostpath": unused(
    "volumes are not recycled",
    `${recycler}.IncrementTimeoutHostPath`,
    intFlag({ usage: "the additional seconds of that deadline for each Gi", default: 30 }),
  ),
});
