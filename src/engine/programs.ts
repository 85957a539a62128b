import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** The programs of other projects that the engine runs, and the packages that have them. */
const packages: Readonly<Record<string, string>> = {
  runc: "runc",
  crun: "crun",
  conmon: "conmon",
  catatonit: "catatonit",
  socat: "socat",
  ip: "iproute2",
  nft: "nftables",
  mount: "mount",
  umount: "mount",
  nsenter: "util-linux",
  unshare: "util-linux",
  pivot_root: "util-linux",
  flock: "util-linux",
  tar: "tar",
  perl: "perl",
};

/** The absolute path of a program; rejects with the command that installs it where it is missing. */
export async function findProgram(name: string): Promise<string> {
  const found = await lookUp(name);
  if (found !== undefined) return found;
  throw new Error(`${name} is not installed: ${remedy([name])}`);
}

interface NeededPrograms {
  readonly ociRuntime?: string | undefined;
  /** Further programs that the caller runs. */
  readonly also?: readonly string[];
}

/** Why this machine cannot run containers; undefined if it can. */
export async function missingForContainers({
  ociRuntime = "runc",
  also = [],
}: NeededPrograms = {}): Promise<string | undefined> {
  if (process.platform !== "linux") return "containers need Linux";
  if (process.getuid?.() !== 0) return "containers need root";
  const missing: string[] = [];
  for (const name of [ociRuntime, ...needed, ...also])
    if ((await lookUp(name)) === undefined) missing.push(name);
  if (missing.length === 0) return undefined;
  return `${missing.join(", ")} not installed: ${remedy(missing)}`;
}

const needed = ["conmon", "socat", "ip", "mount", "nsenter", "tar"];

/** The command that installs programs, if a package of each is known. */
function remedy(names: readonly string[]): string {
  const unknown = names.filter((name) => packages[name] === undefined);
  if (unknown.length > 0) return `install ${unknown.join(", ")}, or name another program`;
  const wanted = new Set(names.map((name) => packages[name]));
  return `on Debian and Ubuntu: apt-get install ${[...wanted].join(" ")}`;
}

async function lookUp(name: string): Promise<string | undefined> {
  const folders = isAbsolute(name)
    ? [""]
    : [...(process.env.PATH ?? "").split(delimiter), ...system];
  for (const folder of folders.filter((one) => one !== "" || isAbsolute(name))) {
    const path = isAbsolute(name) ? name : join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

/** Where programs for root are, which are not on everyone's PATH. */
const system = ["/usr/sbin", "/sbin", "/usr/local/sbin"];

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
