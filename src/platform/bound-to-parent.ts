/**
 * The arguments of `sh` that run a program which the kernel kills when its parent ends, however that happens. A
 * machine without `setpriv` of util-linux runs it as it is.
 */
export const boundToParent = (program: string, args: readonly string[]): readonly string[] => [
  ...["-c", script, "sh", program, ...args],
];

const script = `
! setpriv --pdeathsig KILL true 2>/dev/null || exec setpriv --pdeathsig KILL "$@"
exec "$@"
`;
