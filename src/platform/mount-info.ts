/** A mount of a process, as a line of its `mountinfo` shows it. */
export interface MountInfo {
  /** The numbers of the file system's device. */
  readonly device: string;
  /** The path in the file system that is mounted. */
  readonly root: string;
  readonly mountpoint: string;
  /** Such as `shared:1` and `master:2`: where its mounts come from and go to. */
  readonly optional: readonly string[];
  readonly type: string;
  /** Such as `/dev/vda1`; of file systems without a device, their own name. */
  readonly source: string;
  /** The options of the file system, which all of its mounts share. */
  readonly superOptions: readonly string[];
}

/** The mounts in the text of a `/proc/PID/mountinfo`, in its order. */
export function parseMountInfo(text: string): readonly MountInfo[] {
  return text.split("\n").flatMap((line) => {
    const fields = line.split(" ");
    const separator = fields.indexOf("-", 6);
    const [, , device, root, mountpoint] = fields;
    if (separator === -1 || device === undefined) return [];
    if (root === undefined || mountpoint === undefined) return [];
    return [
      {
        device,
        root: unescaped(root),
        mountpoint: unescaped(mountpoint),
        optional: fields.slice(6, separator),
        type: fields[separator + 1] ?? "",
        source: unescaped(fields[separator + 2] ?? ""),
        superOptions: (fields[separator + 3] ?? "").split(","),
      },
    ];
  });
}

/** The mount that a path is on: the deepest above it, and of several at one place the last. */
export function mountOf(path: string, mounts: readonly MountInfo[]): MountInfo | undefined {
  let deepest: MountInfo | undefined;
  for (const mount of mounts) {
    if (!isAbove(mount.mountpoint, path)) continue;
    if (deepest === undefined || mount.mountpoint.length >= deepest.mountpoint.length) {
      deepest = mount;
    }
  }
  return deepest;
}

function isAbove(mountpoint: string, path: string): boolean {
  return mountpoint === path || path.startsWith(mountpoint === "/" ? mountpoint : `${mountpoint}/`);
}

/** Spaces and the like are written as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_match, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
