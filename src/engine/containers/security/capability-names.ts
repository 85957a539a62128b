import { readFileSync } from "node:fs";

/** Capabilities by their numbers in the kernel. */
const names = (
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE " +
  "NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT " +
  "SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE " +
  "AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ " +
  "PERFMON BPF CHECKPOINT_RESTORE"
)
  .split(" ")
  .map((name) => `CAP_${name}`);

/** All capabilities that any kernel knows, whether this one does or not. */
export const capabilityNames: ReadonlySet<string> = new Set(names);

/** The capabilities that this process may give to a container: those of its bounding set. */
export function grantableCapabilities(): readonly string[] {
  return parseCapabilities(readFileSync("/proc/self/status", "utf8"));
}

/** The bounding set in the text of a `/proc/PID/status`. */
export function parseCapabilities(status: string): readonly string[] {
  const digits = /^CapBnd:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  const bits = BigInt(`0x${digits}`);
  return names.filter((_name, number) => ((bits >> BigInt(number)) & 1n) === 1n);
}
