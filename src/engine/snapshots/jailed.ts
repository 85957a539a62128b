/** A program and its arguments. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** Where a folder of the root is for a program in its jail. */
export const jailedFolder = (pathInRoot: string): string => `/root/${pathInRoot}`;

/**
 * The command that runs another where it sees nothing but a root folder, at `/root`, and the host's programs, which
 * it cannot change. A container that runs may replace a folder by a link at any moment: whatever link is followed
 * then does not lead to the host. Takes about 10 ms more.
 */
export function jailed(root: string, command: Command): Command {
  return {
    program: "unshare",
    args: [
      ...["--mount", "--propagation", "private", "--", "sh", "-c", jail],
      ...["sh", root, command.program, ...command.args],
    ],
  };
}

/** In a mount namespace of its own, the jail can lie on any folder that the command does not need. */
const jail = `set -e
mount -n -t tmpfs -o mode=700 tmpfs /sys
mkdir /sys/root
mount -n --bind "$1" /sys/root
shift
for folder in /bin /lib* /sbin /usr; do
  if [ -L "$folder" ]; then cp -P "$folder" /sys/
  elif [ -d "$folder" ]; then
    mkdir "/sys$folder"
    mount -n --bind "$folder" "/sys$folder"
    mount -n -o remount,bind,ro "/sys$folder"
  fi
done
exec chroot /sys "$@"`;
