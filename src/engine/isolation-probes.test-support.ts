import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Syscall } from "./syscall-program.test-support.ts";

/** Something that a program in a container tries. */
export interface Probe {
  readonly name: string;
  readonly calls: readonly Syscall[];
  /** The error of the last call: undefined if the call is allowed. */
  readonly errno?: string | undefined;
  /** Whether a privileged container may do it: this shows that the probe itself works. */
  readonly works?: boolean | undefined;
  /** Whether containerd 1.6, whose seccomp profile is older, has another outcome. */
  readonly differsInContainerd16?: boolean | undefined;
}

interface ProbeTargets {
  /** A process of the node that is outside of the container. */
  readonly hostPid: number;
  /** A file of the node. */
  readonly hostFile: string;
  /** A file of the container's cgroup, where the container sees it. */
  readonly cgroupFile: string;
}

/** What containers try that they must not do, and some of what they may do. */
export function isolationProbes(targets: ProbeTargets): readonly Probe[] {
  return [
    ...mounts,
    ...namespaces,
    ...processes(targets),
    ...files(targets),
    ...kernel,
    ...keysAndTracing,
    ...limits,
    ...network,
    ...allowed,
  ].map(([name, errno, calls, rest]) => ({ name, errno, calls, ...rest }));
}

type Row = readonly [
  name: string,
  errno: string | undefined,
  calls: readonly Syscall[],
  rest?: Pick<Probe, "works" | "differsInContainerd16">,
];

const works = { works: true };
const newer = { differsInContainerd16: true };
const zeros = (length: number): Buffer => Buffer.alloc(length);
const writeOnly = 1;

const mounts: readonly Row[] = [
  ["mount a tmpfs", "EPERM", [["mount", "none", "/tmp", "tmpfs", 0, 0]], works],
  ["mount proc", "EPERM", [["mount", "proc", "/tmp", "proc", 0, 0]], works],
  ["bind a folder", "EPERM", [["mount", "/bin", "/tmp", "", 4096, 0]], works],
  ["make /proc/sys writable", "EPERM", [["mount", "", "/proc/sys", "", 0x1020, 0]]],
  ["unmount /proc/sys", "EPERM", [["umount2", "/proc/sys", 2]]],
  ["unmount /dev/shm", "EPERM", [["umount2", "/dev/shm", 2]], works],
  ["open a tree of mounts", "EPERM", [["open_tree", -100, "/", 1]], works],
  ["open a file system", "EPERM", [["fsopen", "tmpfs", 0]], works],
  ["move a mount", "EPERM", [["move_mount", -100, "/no/such/folder", -100, "/tmp", 0]]],
  ["change a mount", "EPERM", [["mount_setattr", -100, "/proc", 0, zeros(32), 32]], works],
  ["change the root", "EPERM", [["pivot_root", "/", "/tmp"]]],
];

const namespaceFlags = {
  mount: 0x20000,
  cgroup: 0x2000000,
  uts: 0x4000000,
  ipc: 0x8000000,
  user: 0x10000000,
  pid: 0x20000000,
  network: 0x40000000,
};

const namespaces: readonly Row[] = [
  ...Object.entries(namespaceFlags).flatMap(([name, flag]): Row[] => [
    [`leave the ${name} namespace`, "EPERM", [["unshare", flag]], works],
    [`fork into a new ${name} namespace`, "EPERM", [["clone", flag + 17, 0, 0, 0, 0]], works],
  ]),
  ["fork by clone3", "ENOSYS", [["clone3", zeros(64), 64]]],
  [
    "enter a namespace",
    "EPERM",
    [
      ["open", "/proc/self/ns/uts", 0],
      ["setns", 3, 0],
    ],
    works,
  ],
  ["change the host name", "EPERM", [["sethostname", "other", 5]], works],
  ["change the domain name", "EPERM", [["setdomainname", "other", 5]], works],
];

const processes = ({ hostPid }: ProbeTargets): readonly Row[] => [
  ["see a process of the node", "ENOENT", [["open", `/proc/${hostPid}/status`, 0]]],
  ["signal a process of the node", "ESRCH", [["kill", hostPid, 0]]],
  ["trace a process of the node", "ESRCH", [["ptrace", 16, hostPid, 0, 0]]],
  [
    "read the memory of a process of the node",
    "ESRCH",
    [["process_vm_readv", hostPid, pair(0x400000n, 1n), 1, pair(0x400000n, 1n), 1, 0]],
    newer,
  ],
  ["take a file of another process", "EPERM", [["pidfd_getfd", 0, 0, 0]]],
  ["compare processes", "EPERM", [["kcmp", 1, 1, 0, 0, 0]], works],
  ["advise on the memory of another", "EPERM", [["process_madvise", 0, 0, 0, 0, 0]]],
];

const device = (type: "block" | "character", major: number, minor: number): readonly Syscall[] => [
  [
    "mknod",
    `/tmp/${type}${major}`,
    (type === "block" ? 0x6000 : 0x2000) + 0o600,
    major * 256 + minor,
  ],
  ["open", `/tmp/${type}${major}`, 2],
];

const files = ({ hostFile, cgroupFile }: ProbeTargets): readonly Row[] => [
  ["open a file of the node", "ENOENT", [["open", hostFile, 0]]],
  [
    "leave the root by chroot",
    "ENOENT",
    [
      ["mkdir", "/tmp/jail", 0o700],
      ["chroot", "/tmp/jail"],
      ["chdir", "../../../../../../../.."],
      ["chroot", "."],
      ["open", hostFile, 0],
    ],
  ],
  ["open a file by its handle", "EPERM", [["open_by_handle_at", -100, zeros(128), 0]]],
  ["write to /proc/sys", "EROFS", [["open", "/proc/sys/kernel/core_pattern", writeOnly]], works],
  ["write to /proc/sys/net", "EROFS", [["open", "/proc/sys/net/ipv4/ip_forward", 1]], works],
  ...["/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/bus/pci/devices"]
    .filter((path) => existsSync(path))
    .map((path): Row => [`write to ${path}`, "EROFS", [["open", path, writeOnly]]]),
  ["make a folder in /sys", "EROFS", [["mkdir", "/sys/folder", 0o700]]],
  ["write to its cgroup", "EROFS", [["open", cgroupFile, writeOnly]], works],
  ["make a cgroup", "EROFS", [["mkdir", join(dirname(cgroupFile), "folder"), 0o700]]],
  ["open a disk", "EPERM", device("block", 8, 0)],
  ["open a virtual disk", "EPERM", device("block", 254, 0)],
  ["open the memory of the node", "EPERM", device("character", 1, 1)],
  ["open a tape", "EPERM", device("character", 9, 0)],
  ["open a loop device", "EPERM", device("block", 7, 0)],
];

const kernel: readonly Row[] = [
  ["load a module", "EPERM", [["init_module", zeros(16), 16, ""]]],
  ["load a module from a file", "EPERM", [["finit_module", 0, "", 0]]],
  ["remove a module", "EPERM", [["delete_module", "no_such_module", 0]]],
  ["load a kernel", "EPERM", [["kexec_load", 0, 0, 0, 0x8000]]],
  ["load a kernel from a file", "EPERM", [["kexec_file_load", -1, -1, 0, "", 0]]],
  ["reboot", "EPERM", [["reboot", 0xfee1dead, 672274793, 0, 0]]],
  ["set the time", "EPERM", [["settimeofday", 0, 0]]],
  ["set a clock", "EPERM", [["clock_settime", 0, 0]]],
  ["adjust the clock", "EPERM", [["adjtimex", timex(0x4000)]]],
  ["read the log of the kernel", "EPERM", [["syslog", 10, 0, 0]], works],
  ["start accounting", "EPERM", [["acct", "/no/such/file"]]],
  ["swap to a file", "EPERM", [["swapon", "/no/such/file", 0]]],
  ["change a quota", "EPERM", [["quotactl", 0x80000100, "/no/such/file", 0, 0]]],
  ["use ports of the machine", "EPERM", [["iopl", 3]]],
  ["use one port of the machine", "EPERM", [["ioperm", 0x80, 1, 1]]],
  ["hang up the terminal", "EPERM", [["vhangup"]], works],
  ["look up a directory entry", "EPERM", [["lookup_dcookie", 0, 0, 0]]],
  ["turn off the randomness of addresses", "EPERM", [["personality", 0x40000]]],
  ["choose the memory of a node", "EPERM", [["set_mempolicy", 0, 0, 0]]],
  ["bind memory to a node", "EPERM", [["mbind", 0, 0, 0, 0, 0, 0]]],
  ["move memory between nodes", "EPERM", [["migrate_pages", 0, 0, 0, 0]]],
  ["move pages between nodes", "EPERM", [["move_pages", 0, 0, 0, 0, 0, 0]]],
];

const keysAndTracing: readonly Row[] = [
  ["use keys of the kernel", "EPERM", [["keyctl", 0, -3, 0]]],
  ["add a key", "EPERM", [["add_key", "user", "name", "x", 1, -3]]],
  ["request a key", "EPERM", [["request_key", "user", "name", 0, -3]]],
  ["load a program into the kernel", "EPERM", [["bpf", 0, zeros(128), 128]]],
  ["measure the kernel", "EPERM", [["perf_event_open", zeros(128), 0, -1, -1, 0]]],
  ["handle page faults", "EPERM", [["userfaultfd", 0]]],
  ["use io_uring", "EPERM", [["io_uring_setup", 1, zeros(128)]], newer],
  ["watch whole file systems", "EPERM", [["fanotify_init", 0, 0]]],
];

const limits: readonly Row[] = [
  ["raise the limit of files", "EPERM", [["prlimit64", 0, 7, pair(1n << 40n, 1n << 40n), 0]]],
  ["raise the limit of priorities", "EPERM", [["prlimit64", 0, 14, pair(99n, 99n), 0]]],
  ["raise its priority", "EACCES", [["setpriority", 0, 0, -20]], works],
  ["run in real time", "EPERM", [["sched_setscheduler", 0, 1, word(1)]]],
  [
    "be spared when memory is short",
    "EACCES",
    [
      ["open", "/proc/self/oom_score_adj", writeOnly],
      ["write", 3, "-1000", 5],
    ],
  ],
  [
    "gain capabilities",
    "EPERM",
    [["capset", Buffer.concat([word(0x20080522), word(0)]), Buffer.alloc(24, 0xff)]],
  ],
  ["gain an ambient capability", "EPERM", [["prctl", 47, 2, 21, 0, 0]]],
];

/** `lo` and its flags. */
const interfaceDown = Buffer.concat([Buffer.from("lo"), zeros(38)]);

const network: readonly Row[] = [
  [
    "stop a network interface",
    "EPERM",
    [
      ["socket", 2, 2, 0],
      ["ioctl", 3, 0x8914, interfaceDown],
    ],
    works,
  ],
  [
    "replace the rules of the firewall",
    "EPERM",
    [
      ["socket", 2, 3, 255],
      ["setsockopt", 3, 0, 64, zeros(128), 128],
    ],
  ],
  ["talk to the hypervisor", "EPERM", [["socket", 40, 1, 0]], newer],
  ["use the kernel's cryptography", "EPERM", [["socket", 38, 5, 0]], newer],
];

const allowed: readonly Row[] = [
  ["open a raw socket", undefined, [["socket", 2, 3, 1]]],
  ["open a packet socket", undefined, [["socket", 17, 3, 0]]],
  ["change the root folder", undefined, [["chroot", "/tmp"]]],
  [
    "make a device node",
    undefined,
    [
      ["unlink", "/tmp/node"],
      ["mknod", "/tmp/node", 0x6180, 0x800],
    ],
  ],
  ["become another user", undefined, [["setuid", 1000]]],
  ["signal itself", undefined, [["kill", 0, 0]]],
  ["fork", undefined, [["clone", 17, 0, 0, 0, 0]]],
  ["open /dev/null", undefined, [["open", "/dev/null", 2]]],
];

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function pair(first: bigint, second: bigint): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(first);
  bytes.writeBigUInt64LE(second, 8);
  return bytes;
}

/** The argument of adjtimex, which changes the length of a tick to what it is anyway. */
function timex(modes: number): Buffer {
  const bytes = Buffer.alloc(208);
  bytes.writeUInt32LE(modes);
  bytes.writeBigInt64LE(10000n, 88);
  return bytes;
}
