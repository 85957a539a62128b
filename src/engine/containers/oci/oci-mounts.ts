import type { ContainerSettings, MountSettings } from "../container-settings.ts";
import { absolutePath } from "./absolute-path.ts";
import type { OciMount } from "./oci-types.ts";

/**
 * All mounts of a container: the standard ones that it does not replace, then its own, parents before what is
 * mounted inside of them. A container that brings its own /dev gets nothing mounted below it.
 */
export function ociMounts(settings: ContainerSettings): OciMount[] {
  const own = orderedMounts(settings.mounts);
  const destinations = new Set(own.map(({ destination }) => absolutePath(destination)));
  const standard = standardMounts(settings).filter(
    ({ destination }) =>
      !destinations.has(destination) &&
      !(destinations.has("/dev") && destination.startsWith("/dev/")),
  );
  return [...standard, ...own.map(mountOf)];
}

/** Sorts mounts by the number of parts of their paths, so that none hides another. */
function orderedMounts(mounts: readonly MountSettings[]): MountSettings[] {
  const depth = (mount: MountSettings): number => absolutePath(mount.destination).split("/").length;
  return mounts.toSorted((a, b) => depth(a) - depth(b));
}

/** How mounts on the node reach the container's root, as the mounts in it need it; absent for not at all. */
export function rootfsPropagation(mounts: readonly MountSettings[]): string | undefined {
  const has = (...options: readonly string[]): boolean =>
    mounts.some((mount) => mount.options.some((option) => options.includes(option)));
  if (has("rshared", "shared")) return "rshared";
  return has("rslave", "slave") ? "rslave" : undefined;
}

function mountOf({ destination, type, source, options, idMappings }: MountSettings): OciMount {
  if (!idMappings) return { destination, type, source, options };
  const { uidMappings, gidMappings } = idMappings;
  // A runtime that does not know the option refuses it, where it would not see the mappings.
  return { destination, type, source, options: [...options, "idmap"], uidMappings, gidMappings };
}

function standardMounts(settings: ContainerSettings): OciMount[] {
  const mode = settings.privileged ? "rw" : "ro";
  const safe = ["nosuid", "noexec", "nodev"];
  return [
    mount("/proc", "proc", safe),
    mount("/dev", "tmpfs", ["nosuid", "strictatime", "mode=755", "size=65536k"]),
    mount("/dev/pts", "devpts", [
      "nosuid",
      "noexec",
      "newinstance",
      "ptmxmode=0666",
      "mode=0620",
      "gid=5",
    ]),
    { ...mount("/dev/shm", "tmpfs", [...safe, "mode=1777", "size=65536k"]), source: "shm" },
    mount("/dev/mqueue", "mqueue", safe),
    sysfs(settings, mode),
    mount("/sys/fs/cgroup", "cgroup", [...safe, "relatime", mode]),
  ];
}

/**
 * The kernel lets only the owner of a network namespace mount sysfs. A container with a user namespace on the
 * node's network sees the node's /sys instead.
 */
function sysfs({ namespaces }: ContainerSettings, mode: string): OciMount {
  if (namespaces.user === undefined || namespaces.network !== "host") {
    return mount("/sys", "sysfs", ["nosuid", "noexec", "nodev", mode]);
  }
  return {
    destination: "/sys",
    type: "bind",
    source: "/sys",
    options: ["rbind", mode === "ro" ? "rro" : mode, "nosuid", "nodev", "noexec"],
  };
}

function mount(destination: string, type: string, options: readonly string[]): OciMount {
  return { destination, type, source: type, options };
}
