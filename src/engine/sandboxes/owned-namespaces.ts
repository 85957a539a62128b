import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { mustRun } from "../../platform/run-child.ts";
import { spawned } from "../../platform/spawned.ts";
import type { IdMapping, IdMappings } from "../containers/container-settings.ts";

/** The files of a user namespace, and of namespaces that belong to it. */
export interface OwnedNamespaces {
  readonly user: string;
  readonly network: string;
  readonly ipc: string;
  readonly uts: string;
}

export interface OwnedNamespacesOptions {
  readonly users: IdMappings;
  readonly hostname: string;
  /** The paths of kernel parameters, and their values. */
  readonly parameters: readonly (readonly [path: string, value: string])[];
}

/**
 * Creates a user namespace, and others that belong to it: its root may change them, and mount what shows them. The
 * files must be empty. A process of the node holds the namespaces until the mappings are written and the files bound;
 * it ends with this process.
 */
export async function createOwnedNamespaces(
  files: OwnedNamespaces,
  { users, hostname, parameters }: OwnedNamespacesOptions,
): Promise<void> {
  const isOfKernel = ([path]: readonly [string, string]): boolean => path.startsWith(ofKernel);
  const holder = await startHolder([
    [`${ofKernel}hostname`, hostname],
    ...parameters.filter(isOfKernel),
  ]);
  try {
    await writeFile(`/proc/${holder.pid}/uid_map`, mappingText(users.uidMappings));
    await writeFile(`/proc/${holder.pid}/gid_map`, mappingText(users.gidMappings));
    const { user, network, ipc, uts } = files;
    const others = parameters.filter((one) => !isOfKernel(one));
    const inside = ["sh", "-c", `ip link set lo up || exit\n${setting}`, "sh", ...others.flat()];
    await mustRun("sh", ["-c", bind, String(holder.pid), user, network, ipc, uts, ...inside]);
  } finally {
    await holder.end();
  }
}

type Parameters = readonly (readonly [path: string, value: string])[];

/**
 * The names of a machine can be set by root of the node only. So can parameters of IPC as long as nobody is mapped;
 * those of the network may refer to mapped groups.
 */
const ofKernel = "/proc/sys/kernel/";

const bind = `set -e
quick="mount -n -i -c --bind"
$quick /proc/$0/ns/user "$1"; $quick /proc/$0/ns/net "$2"; $quick /proc/$0/ns/ipc "$3"; $quick /proc/$0/ns/uts "$4"
user=$1 net=$2 ipc=$3
shift 4
exec nsenter "--user=$user" "--net=$net" "--ipc=$ipc" "$@"`;

/** Sets kernel parameters: its own parameters are paths and values. */
const setting = `while [ $# -gt 0 ]; do printf %s "$2" > "$1" || exit; shift 2; done`;

interface Holder {
  readonly pid: number;
  end(): Promise<void>;
}

/** Starts a process in new namespaces, without mappings, that sets parameters and then waits for the end of its input. */
function startHolder(parameters: Parameters): Promise<Holder> {
  const script = `${setting}\necho ready\nread -r _ || :`;
  const command = ["sh", "-c", script, "sh", ...parameters.flat()];
  const child = spawned(
    spawn("unshare", ["--user", "--net", "--ipc", "--uts", ...command], {
      stdio: ["pipe", "pipe", "pipe"],
    }),
    "unshare",
  );
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.stdin.on("error", () => {});
  let complaints = "";
  child.stderr.on("data", (bytes: Buffer) => {
    complaints += bytes;
  });
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new Error("cannot run unshare", { cause })));
    child.stdout.once("data", () =>
      resolve({
        pid: child.pid ?? 0,
        end() {
          child.stdin.end();
          return closed;
        },
      }),
    );
    void closed.then(() => reject(new Error(complaints.trim() || "unshare ended early")));
  });
}

const mappingText = (mappings: readonly IdMapping[]): string =>
  mappings.map(({ containerID, hostID, size }) => `${containerID} ${hostID} ${size}\n`).join("");
