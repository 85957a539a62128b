/**
 * The arguments of `sh` that run a program which the kernel kills when its parent ends, however that happens. A
 * machine without `setpriv` of util-linux runs it as it is.
 */
export const boundToParent = (
  program: string,
  args: readonly string[],
  parent?: string,
): readonly string[] => ["-c", script, "sh", ...untilParentEnds(parent), program, ...args];

/**
 * What comes before a program and its arguments so that it ends with this process, where there is `setpriv`. The
 * process may have ended before the kernel was told: then the program does not start.
 */
export const untilParentEnds = (parent = String(process.pid)): readonly string[] => [
  ...["setpriv", "--pdeathsig", "KILL"],
  ...["sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"', parent],
];

const script = `
! setpriv --pdeathsig KILL true 2>/dev/null || exec "$@"
shift 7
exec "$@"
`;
