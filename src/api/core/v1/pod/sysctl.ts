import type { At } from "../../../../schema/language/report.ts";
import type { Sysctl } from "../container/security-context.ts";

const maxLength = 253;
const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const pattern = `^(${segment}[\\./])*${segment}$`;
/** The same language as `pattern`, without its backtracking. */
const sysctlName = /^[a-z0-9]+(?:[-_]+[a-z0-9]+)*(?:[./][a-z0-9]+(?:[-_]+[a-z0-9]+)*)*$/;

export interface SysctlContext {
  readonly hostNetwork: boolean;
  readonly hostIPC: boolean;
  /** Accepts sysctls of a namespace that the pod shares with its node. */
  readonly allowHostNamespaces: boolean;
}

/** The rules of a pod's kernel parameters. */
export function validateSysctls(sysctls: readonly Sysctl[], at: At, context: SysctlContext): void {
  const names = new Set<string>();
  for (const [i, { name }] of sysctls.entries()) {
    const here = at.index(i);
    if (!name) here.required("name");
    else if (name.length > maxLength || !sysctlName.test(name))
      here.invalid(
        "name",
        name,
        `must have at most ${maxLength} characters and match regex ${pattern}`,
      );
    else if (names.has(name)) here.duplicate("name", name);
    if (!context.allowHostNamespaces) validateNamespace(name, here, context);
    names.add(name);
  }
}

/** Whether a kernel parameter belongs to a namespace that the pod shares with its node. */
export function isHostSysctl(name: string, { hostNetwork, hostIPC }: PodHostNamespaces): boolean {
  const namespace = namespaceOf(name);
  return (hostNetwork && namespace === "net") || (hostIPC && namespace === "ipc");
}
type PodHostNamespaces = Pick<SysctlContext, "hostNetwork" | "hostIPC">;

function validateNamespace(name: string, at: At, context: SysctlContext): void {
  if (!isHostSysctl(name, context)) return;
  const setting = namespaceOf(name) === "net" ? "hostNetwork" : "hostIPC";
  at.invalid("name", name, `may not be specified when '${setting}' is true`);
}

const ipcNames: ReadonlySet<string> = new Set(
  "sem shmall shmmax shmmni shm_rmid_forced shm msgmax msgmnb msgmni msg"
    .split(" ")
    .map((name) => `kernel.${name}`),
);

/** The kernel namespace that a parameter, or a prefix that ends in `*`, belongs to. */
function namespaceOf(sysctl: string): "net" | "ipc" | undefined {
  const [name = ""] = withDots(sysctl).split("*");
  if (ipcNames.has(name) || name.startsWith("fs.mqueue.")) return "ipc";
  return name.startsWith("net.") ? "net" : undefined;
}

/** Parameters may be written with slashes: then dots and slashes change places. */
function withDots(name: string): string {
  if (/[./]/.exec(name)?.[0] !== "/") return name;
  return name.replace(/[./]/g, (mark) => (mark === "." ? "/" : "."));
}
