import { posix } from "node:path";

/** What a box needs to know of the machine's files. */
export interface MachineFiles {
  /** The entries of `/`: the target of a link, undefined for a directory. */
  readonly top: ReadonlyMap<string, string | undefined>;
  readonly mountPoints: readonly string[];
  /** The paths that the box has as they are on the machine. */
  readonly keep: readonly KeptPath[];
}

export interface KeptPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** How the root directory of a box is put together. */
export interface MountPlan {
  /** Names of directories of `/` that are the machine's; what the box changes in them is its own. */
  readonly overlays: readonly string[];
  /** Links of `/`: names and targets. */
  readonly links: readonly (readonly [name: string, target: string])[];
  /** Directories and empty files of the box's own at which others are mounted. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** The mounts, in order. */
  readonly mounts: readonly Mount[];
}

export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly options: string;
}

/** Plans the mounts of a box: it shares the machine's programs and devices; all else is its own. */
export function planMounts(
  { top, mountPoints, keep }: MachineFiles,
  resolvConf: string,
): MountPlan {
  const isFolder = (name: string): boolean => top.has(name) && top.get(name) === undefined;
  const overlays = [...programFolders, "etc", "opt"].filter(isFolder);
  const programs = programFolders.filter((name) => top.has(name)).map((name) => `/${name}`);
  const links = programFolders.flatMap((name): readonly (readonly [string, string])[] => {
    const target = top.get(name);
    return target === undefined ? [] : [[name, target]];
  });
  const kept = keep
    .filter(({ path }) => !programs.some((folder) => isIn(path, folder)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const mountedPrograms = outermost(mountPoints, (path) =>
    programs.some((folder) => path !== folder && isIn(path, folder)),
  );
  const own = kept.filter(({ path }) => !overlays.includes(path.split("/")[1] ?? ""));
  const ownPaths = (areFolders: boolean): readonly string[] =>
    own.filter(({ isFolder }) => isFolder === areFolders).map(({ path }) => path);
  return {
    overlays,
    links,
    folders: ownPaths(true),
    files: ownPaths(false),
    mounts: [
      { source: "proc", target: "/proc", type: "proc", options: "nosuid,nodev,noexec" },
      // That of the machine would show the machine's network interfaces.
      { source: "sysfs", target: "/sys", type: "sysfs", options: "nosuid,nodev,noexec" },
      ...sharedKernelFolders
        .filter((path) => mountPoints.includes(path))
        .map((path) => bind(path, "rbind")),
      bind("/dev", "rbind"),
      ...(mountPoints.includes("/dev/shm") ? [tmpfs("/dev/shm", "mode=1777")] : []),
      tmpfs("/run", "mode=755"),
      ...mountedPrograms.map((path) => bind(path, "rbind")),
      ...kept.map(({ path, isFolder }) => bind(path, isFolder ? "bind,X-mount.mkdir" : "bind")),
      { ...bind(resolvConf, "bind"), target: "/etc/resolv.conf" },
    ],
  };
}

/** The directories of `/` that hold programs and libraries. */
const programFolders = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix", "gnu"];

/** File systems of the kernel that do not differ between namespaces. */
const sharedKernelFolders = [
  "/sys/fs/cgroup",
  "/sys/fs/bpf",
  "/sys/kernel/security",
  "/sys/kernel/debug",
  "/sys/kernel/tracing",
];

const bind = (path: string, options: string): Mount => ({
  ...{ source: path, target: path, type: "none", options },
});

const tmpfs = (target: string, mode: string): Mount => ({
  ...{ source: "tmpfs", target, type: "tmpfs", options: `nosuid,nodev,${mode}` },
});

const isIn = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

/** Those of the paths that are wanted, without paths below others of them. */
function outermost(
  paths: readonly string[],
  isWanted: (path: string) => boolean,
): readonly string[] {
  const wanted = [...new Set(paths.filter(isWanted))].sort();
  return wanted.filter((path) => !wanted.some((other) => other !== path && isIn(path, other)));
}

/** The mounts as a table for `mount --all --fstab`; targets are below the folder `root`. */
export const mountTable = (mounts: readonly Mount[], root: string): string =>
  mounts
    .map(({ source, target, type, options }) =>
      [source, posix.join(root, target), type, options].map(escapeField).join(" "),
    )
    .map((line) => `${line} 0 0\n`)
    .join("");

const escapeField = (text: string): string =>
  text.replace(/[\s\\#]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`);
