import { boolFlag, durationFlag, intFlag, stringFlag } from "../../../../cli/flag.ts";
import { section } from "../../../flags/server-flag.ts";

const deprecated =
  "This is a cadvisor flag that was mistakenly registered with the Kubelet. Due to legacy concerns, it will follow the standard CLI deprecation timeline before being removed.";
const old = { usage: "not used: cAdvisor is not part of Wherry", deprecated };

/** The flags of cAdvisor, which the kubelet accepts, too. Those of IDs have an effect. */
export const cadvisorFlags = section("cAdvisor flags", {
  "housekeeping-interval": durationFlag({ usage: old.usage, default: 10_000 }),
  "application-metrics-count-limit": intFlag({ ...old, default: 100 }),
  "boot-id-file": stringFlag({
    ...{ usage: "the `FILES` of the ID of this boot, separated by commas: the first one counts" },
    ...{ deprecated, default: "/proc/sys/kernel/random/boot_id" },
  }),
  "container-hints": stringFlag({ ...old, default: "/etc/cadvisor/container_hints.json" }),
  containerd: stringFlag({ ...old, default: "/run/containerd/containerd.sock" }),
  "enable-load-reader": boolFlag(old),
  "event-storage-age-limit": stringFlag({ ...old, default: "default=0" }),
  "event-storage-event-limit": stringFlag({ ...old, default: "default=0" }),
  "global-housekeeping-interval": durationFlag({ ...old, default: 60_000 }),
  "log-cadvisor-usage": boolFlag(old),
  "machine-id-file": stringFlag({
    usage: "the `FILES` of the ID of the machine, separated by commas: the first one counts",
    deprecated,
    default: "/etc/machine-id,/var/lib/dbus/machine-id",
  }),
  "storage-driver-user": stringFlag({ ...old, default: "root" }),
  "storage-driver-password": {
    ...stringFlag({ ...old, default: "root" }),
    format: () => "<masked>",
  },
  "storage-driver-host": stringFlag({ ...old, default: "localhost:8086" }),
  "storage-driver-db": stringFlag({ ...old, default: "cadvisor" }),
  "storage-driver-table": stringFlag({ ...old, default: "stats" }),
  "storage-driver-secure": boolFlag(old),
  "storage-driver-buffer-duration": durationFlag({ ...old, default: 60_000 }),
  "containerd-namespace": stringFlag({ ...old, default: "k8s.io" }),
});
