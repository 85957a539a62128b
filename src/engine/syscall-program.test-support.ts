/**
 * A program that makes system calls one after the other, and exits with the error number of the last, or with 0.
 * It is an executable of some hundred bytes for x86-64, so that tests can try calls that no common program makes.
 */
export function syscallProgram(calls: readonly Syscall[]): Buffer {
  const data: Buffer[] = [];
  const codeLength = code(calls, () => 0n).length;
  const dataStart = base + BigInt(headerLength + codeLength);
  const addressOf = (bytes: Buffer): bigint => {
    const address = dataStart + BigInt(Buffer.concat(data).length);
    data.push(bytes);
    return address;
  };
  const body = Buffer.concat([code(calls, addressOf), ...data]);
  return Buffer.concat([header(headerLength + body.length), body]);
}

/** A system call: texts and buffers are passed by their addresses. */
export type Syscall = readonly [
  name: keyof typeof numbers,
  ...args: readonly (number | bigint | string | Buffer)[],
];

const base = 0x400000n;
const headerLength = 64 + 56;

/** Instructions that load a value of 64 bits into the register of each argument: rdi, rsi, rdx, r10, r8, r9. */
const loads = [
  [0x48, 0xbf],
  [0x48, 0xbe],
  [0x48, 0xba],
  [0x49, 0xba],
  [0x49, 0xb8],
  [0x49, 0xb9],
];

function code(calls: readonly Syscall[], addressOf: (bytes: Buffer) => bigint): Buffer {
  const parts = calls.flatMap(([name, ...args]) => [
    ...args.map((arg, index) => {
      const value =
        typeof arg === "string"
          ? addressOf(Buffer.from(`${arg}\0`))
          : Buffer.isBuffer(arg)
            ? addressOf(arg)
            : BigInt(arg);
      return Buffer.concat([Buffer.from(loads[index] ?? []), word64(value)]);
    }),
    // mov eax, number; syscall
    Buffer.from([0xb8, ...word32(numbers[name]), 0x0f, 0x05]),
  ]);
  // mov rdi, rax; neg rdi; xor ecx, ecx; test rax, rax; cmovns rdi, rcx; mov eax, exit_group; syscall
  const exit = "4889c7 48f7df 31c9 4885c0 480f49f9 b8e7000000 0f05".replaceAll(" ", "");
  return Buffer.concat([...parts, Buffer.from(exit, "hex")]);
}

/** The headers of an ELF executable with one segment, which is all of the file and may be changed. */
function header(length: number): Buffer {
  const bytes = Buffer.alloc(headerLength);
  bytes.write("7f454c46020101", "hex");
  bytes.writeUInt16LE(2, 16); // an executable
  bytes.writeUInt16LE(62, 18); // for x86-64
  bytes.writeUInt32LE(1, 20);
  bytes.writeBigUInt64LE(base + BigInt(headerLength), 24); // its first instruction
  bytes.writeBigUInt64LE(64n, 32); // the place of the segment's header
  bytes.writeUInt16LE(64, 52);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  bytes.writeUInt32LE(1, 64); // a segment to load
  bytes.writeUInt32LE(7, 68); // readable, writable, executable
  bytes.writeBigUInt64LE(base, 80);
  bytes.writeBigUInt64LE(base, 88);
  bytes.writeBigUInt64LE(BigInt(length), 96);
  bytes.writeBigUInt64LE(BigInt(length) + 4096n, 104);
  bytes.writeBigUInt64LE(4096n, 112);
  return bytes;
}

function word64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return bytes;
}

function word32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The numbers of system calls on x86-64. */
const numbers = {
  write: 1,
  open: 2,
  ioctl: 16,
  socket: 41,
  setsockopt: 54,
  clone: 56,
  kill: 62,
  chdir: 80,
  mkdir: 83,
  unlink: 87,
  chown: 92,
  ptrace: 101,
  syslog: 103,
  setuid: 105,
  capset: 126,
  mknod: 133,
  personality: 135,
  setpriority: 141,
  sched_setscheduler: 144,
  vhangup: 153,
  pivot_root: 155,
  prctl: 157,
  adjtimex: 159,
  chroot: 161,
  acct: 163,
  settimeofday: 164,
  mount: 165,
  umount2: 166,
  swapon: 167,
  reboot: 169,
  sethostname: 170,
  setdomainname: 171,
  iopl: 172,
  ioperm: 173,
  init_module: 175,
  delete_module: 176,
  quotactl: 179,
  lookup_dcookie: 212,
  clock_settime: 227,
  mbind: 237,
  set_mempolicy: 238,
  kexec_load: 246,
  add_key: 248,
  request_key: 249,
  keyctl: 250,
  migrate_pages: 256,
  unshare: 272,
  move_pages: 279,
  perf_event_open: 298,
  fanotify_init: 300,
  prlimit64: 302,
  open_by_handle_at: 304,
  setns: 308,
  process_vm_readv: 310,
  kcmp: 312,
  finit_module: 313,
  kexec_file_load: 320,
  bpf: 321,
  userfaultfd: 323,
  io_uring_setup: 425,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  clone3: 435,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
};
