import type { MountSettings } from "../../containers/container-settings.ts";
import type { SettingsFacts } from "./container-settings-of.ts";
import type { DockerDetails, DockerMount } from "./docker-details.ts";

/** The mounts of a container beside the standard ones. */
export function mountsOf(
  { hostConfig: host, mounts }: DockerDetails,
  facts: Pick<SettingsFacts, "etcFiles" | "shmFolder" | "initProgram">,
): readonly MountSettings[] {
  const own = [
    ...mounts.map(mountOf),
    ...Object.entries(host.Tmpfs ?? {}).map(([path, options]) => tmpfs(path, options.split(","))),
  ];
  const taken = new Set(own.map(({ destination }) => destination));
  const standard = [
    shmOf(host, facts.shmFolder),
    ...(host.IpcMode === "host" ? [bind("/dev/mqueue", "/dev/mqueue", ["rbind"])] : []),
    ...Object.entries(facts.etcFiles).map(([path, source]) =>
      bind(source, path, ["rbind", "rprivate", ...(host.ReadonlyRootfs ? ["ro"] : [])]),
    ),
    ...(facts.initProgram === undefined
      ? []
      : [bind(facts.initProgram, "/dev/init", ["bind", "ro"])]),
  ];
  return [...standard.filter(({ destination }) => !taken.has(destination)), ...own];
}

/** Options of a tmpfs: what a client says replaces the opposite default. */
function tmpfs(destination: string, given: readonly string[]): MountSettings {
  const words = given.filter((option) => option !== "");
  const defaults = ["noexec", "nosuid", "nodev"].filter(
    (option) => !words.includes(option) && !words.includes(option.replace(/^no/, "")),
  );
  return { type: "tmpfs", source: "tmpfs", destination, options: [...defaults, ...words] };
}

function shmOf(host: DockerDetails["hostConfig"], folder: string | undefined): MountSettings {
  if (host.IpcMode === "host") return bind("/dev/shm", "/dev/shm", ["rbind", "rprivate"]);
  if (folder !== undefined) return bind(folder, "/dev/shm", ["rbind", "rprivate"]);
  const options = ["nosuid", "noexec", "nodev", "mode=1777", `size=${host.ShmSize}`];
  return { type: "tmpfs", source: "shm", destination: "/dev/shm", options };
}

function mountOf(mount: DockerMount): MountSettings {
  if (mount.type === "tmpfs") return tmpfs(mount.destination, mount.tmpfsOptions ?? []);
  return bind(mount.source, mount.destination, [
    mount.nonRecursive ? "bind" : "rbind",
    ...(mount.writable ? [] : ["ro"]),
    mount.propagation || "rprivate",
  ]);
}

const bind = (source: string, destination: string, options: readonly string[]): MountSettings => ({
  type: "bind",
  source,
  destination,
  options,
});
