/**
 * The system calls that every container may use, by purpose. A call is here if the kernel checks on each use that
 * the caller has the right to it, in its own namespaces, and if it adds little to what an attacker can reach. Not
 * here are calls for administrators, old interfaces that nothing uses, and those with a record of faults: keyctl,
 * userfaultfd, io_uring and the like. Names that a kernel does not know are ignored.
 */
export const harmlessSyscalls: Readonly<Record<string, string>> = {
  openAndClose: `open openat openat2 creat close close_range dup dup2 dup3 pipe pipe2 memfd_create memfd_secret
    name_to_handle_at`,
  readAndWrite: `read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2 lseek _llseek readahead
    fadvise64 fadvise64_64 sendfile sendfile64 splice tee vmsplice copy_file_range fallocate truncate truncate64
    ftruncate ftruncate64 sync syncfs fsync fdatasync sync_file_range cachestat`,
  names: `link linkat symlink symlinkat unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir mknod mknodat
    readlink readlinkat getdents getdents64 getcwd chdir fchdir`,
  metadata: `stat stat64 lstat lstat64 fstat fstat64 fstatat64 newfstatat statx statfs statfs64 fstatfs fstatfs64
    access faccessat faccessat2 chmod fchmod fchmodat fchmodat2 chown chown32 lchown lchown32 fchown fchown32
    fchownat umask utime utimes utimensat utimensat_time64 futimesat`,
  attributes: `getxattr getxattrat lgetxattr fgetxattr setxattr setxattrat lsetxattr fsetxattr listxattr listxattrat
    llistxattr flistxattr removexattr removexattrat lremovexattr fremovexattr`,
  descriptors: "fcntl fcntl64 flock ioctl",
  mountsSeen: "listmount statmount",
  fileEvents: "inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_mark",
  waiting: `poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64 epoll_create epoll_create1 epoll_ctl
    epoll_ctl_old epoll_wait epoll_wait_old epoll_pwait epoll_pwait2 eventfd eventfd2`,
  asynchronousFiles: `io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents io_pgetevents_time64
    ioprio_get ioprio_set`,
  memory: `brk mmap mmap2 munmap mremap mprotect madvise mincore msync mlock mlock2 mlockall munlock munlockall
    remap_file_pages pkey_alloc pkey_free pkey_mprotect mseal map_shadow_stack membarrier process_mrelease`,
  sockets: `socketcall socketpair bind connect listen accept accept4 shutdown getsockname getpeername getsockopt
    setsockopt send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg recvmmsg_time64`,
  messages: `ipc msgget msgctl msgsnd msgrcv semget semctl semop semtimedop semtimedop_time64 shmget shmctl shmat
    shmdt mq_open mq_unlink mq_notify mq_getsetattr mq_timedsend mq_timedsend_time64 mq_timedreceive
    mq_timedreceive_time64`,
  processes: `fork vfork execve execveat exit exit_group wait4 waitid waitpid getpid getppid gettid getpgid getpgrp
    setpgid getsid setsid prctl restart_syscall pidfd_open pidfd_send_signal getrusage times`,
  threads: `futex futex_time64 futex_wait futex_wake futex_requeue futex_waitv get_robust_list set_robust_list
    set_tid_address get_thread_area set_thread_area rseq getcpu uretprobe`,
  signals: `kill tkill tgkill pause sigaltstack sigprocmask sigreturn signalfd signalfd4 rt_sigaction rt_sigpending
    rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64
    rt_tgsigqueueinfo`,
  identity: `getuid getuid32 geteuid geteuid32 getgid getgid32 getegid getegid32 getresuid getresuid32 getresgid
    getresgid32 getgroups getgroups32 setuid setuid32 setgid setgid32 setreuid setreuid32 setregid setregid32
    setresuid setresuid32 setresgid setresgid32 setgroups setgroups32 setfsuid setfsuid32 setfsgid setfsgid32
    capget capset`,
  limits: "getrlimit ugetrlimit setrlimit prlimit64 getpriority setpriority",
  scheduling: `sched_yield sched_getaffinity sched_setaffinity sched_getattr sched_setattr sched_getparam
    sched_setparam sched_getscheduler sched_setscheduler sched_get_priority_max sched_get_priority_min
    sched_rr_get_interval sched_rr_get_interval_time64`,
  timeRead: `time gettimeofday clock_gettime clock_gettime64 clock_getres clock_getres_time64 adjtimex clock_adjtime
    clock_adjtime64`,
  timers: `nanosleep clock_nanosleep clock_nanosleep_time64 alarm getitimer setitimer timer_create timer_delete
    timer_gettime timer_gettime64 timer_settime timer_settime64 timer_getoverrun timerfd_create timerfd_gettime
    timerfd_gettime64 timerfd_settime timerfd_settime64`,
  system: "uname sysinfo getrandom",
  ownRestrictions: `seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self lsm_get_self_attr
    lsm_set_self_attr lsm_list_modules`,
};
