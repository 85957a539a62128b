import { harmlessSyscalls } from "./harmless-syscalls.ts";
import { isKernelAtLeast } from "./kernel-version.ts";
import { privilegedSyscalls } from "./privileged-syscalls.ts";
import type { Seccomp, SeccompArgument, SeccompContext, SeccompRule } from "./seccomp-types.ts";

/**
 * The profile of containers that name none. A system call that no rule allows fails with EPERM, whatever rights
 * its caller has.
 */
export function defaultSeccomp({
  capabilities,
  architecture,
  kernelVersion,
}: SeccompContext): Seccomp {
  const native = architectures[architecture];
  const isAdmin = capabilities.includes("CAP_SYS_ADMIN");
  return {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: eperm,
    ...(native && { architectures: native.names }),
    syscalls: [
      allow(Object.values(harmlessSyscalls).join(" ")),
      ...sockets,
      ...personalities.map((value) => allow("personality", { index: 0, value, op: "SCMP_CMP_EQ" })),
      ...(native ? [allow(native.syscalls)] : []),
      // Before, a traced process could change the number of its system call after the check.
      ...(isKernelAtLeast(kernelVersion, "4.8")
        ? [allow("ptrace process_vm_readv process_vm_writev")]
        : []),
      ...Object.entries(privilegedSyscalls)
        .filter(([capability]) => capabilities.includes(capability))
        .map(([, names]) => allow(names)),
      ...(isAdmin ? [] : threadsOnly),
    ],
  };
}

const eperm = 1;
const enosys = 38;
const familyAlg = 38;
const familyVsock = 40;

const architectures: Readonly<
  Record<string, { readonly names: readonly string[]; readonly syscalls: string }>
> = {
  x64: {
    names: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"],
    syscalls: "arch_prctl modify_ldt",
  },
  arm64: {
    names: ["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"],
    syscalls: "arm_fadvise64_64 arm_sync_file_range sync_file_range2 breakpoint cacheflush set_tls",
  },
};

/**
 * Sockets of all families but two: those to the hypervisor know no network namespaces, and those of the kernel's
 * cryptography are seldom used and had faults. Each rule has one condition: runc treats several conditions on one
 * argument as alternatives.
 */
const sockets: readonly SeccompRule[] = [
  allow("socket", { index: 0, value: familyAlg, op: "SCMP_CMP_LT" }),
  allow("socket", { index: 0, value: familyAlg + 1, op: "SCMP_CMP_EQ" }),
  allow("socket", { index: 0, value: familyVsock, op: "SCMP_CMP_GT" }),
];

/** The usual one, that of 32 bits, both also with the old version numbers of kernels, and the question for it. */
const personalities: readonly number[] = [0, 0x8, 0x20000, 0x20008, 0xffffffff];

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const newNamespaces = 0x7e020000;

/**
 * New processes and threads, but no new namespaces. The flags of clone3 are in memory, where no rule sees them: it
 * does not exist here, so that libraries use clone instead.
 */
const threadsOnly: readonly SeccompRule[] = [
  allow("clone", { index: 0, value: newNamespaces, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }),
  { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: enosys },
];

function allow(names: string, ...args: readonly SeccompArgument[]): SeccompRule {
  return {
    names: names.split(/\s+/),
    action: "SCMP_ACT_ALLOW",
    ...(args.length > 0 && { args }),
  };
}
