/** The system calls that a capability of the container allows beyond the harmless ones. */
export const privilegedSyscalls: Readonly<Record<string, string>> = {
  CAP_BPF: "bpf",
  CAP_DAC_READ_SEARCH: "open_by_handle_at",
  CAP_PERFMON: "perf_event_open",
  CAP_SYSLOG: "syslog",
  CAP_SYS_ADMIN: `mount umount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick unshare setns
    clone clone3 sethostname setdomainname bpf perf_event_open fanotify_init lookup_dcookie quotactl quotactl_fd
    syslog`,
  CAP_SYS_BOOT: "reboot",
  CAP_SYS_CHROOT: "chroot",
  CAP_SYS_MODULE: "init_module finit_module delete_module",
  CAP_SYS_NICE: "get_mempolicy set_mempolicy set_mempolicy_home_node mbind",
  CAP_SYS_PACCT: "acct",
  CAP_SYS_PTRACE: "ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp",
  CAP_SYS_RAWIO: "iopl ioperm",
  CAP_SYS_TIME: "settimeofday stime clock_settime clock_settime64",
  CAP_SYS_TTY_CONFIG: "vhangup",
};
