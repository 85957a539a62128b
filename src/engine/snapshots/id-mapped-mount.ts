import { runProgram } from "./run-program.ts";

interface MappedMount {
  readonly source: string;
  readonly target: string;
  /** The file of a user namespace, whose IDs the mount shows in place of those on disk. */
  readonly userNamespace: string;
}

/**
 * Mounts a folder once more, with the IDs of a user namespace. mount(8) can do that since util-linux 2.39, and older
 * systems have new OCI runtimes, too: perl makes the system calls.
 *
 * The mount is private: what is mounted in the folder later would otherwise appear in it as well, and go with it.
 */
export async function mountMapped({ source, target, userNamespace }: MappedMount): Promise<void> {
  await runProgram("perl", ["-e", script, userNamespace, source, target]);
}

/** The numbers of system calls since Linux 5 are the same on all processors that Node runs on. */
const script = String.raw`
use strict;
my ($namespace, $source, $target) = @ARGV;
my ($open_tree, $move_mount, $mount_setattr) = (428, 429, 442);
my ($at_fdcwd, $at_empty_path, $clone_and_close, $move_empty_path) = (-100, 0x1000, 0x80001, 4);
my ($mount_attr_idmap, $private) = (0x100000, 1 << 18);
sub call { my $name = shift; my $result = syscall(shift, @_); $result < 0 and die "$name: $!\n"; $result }
my $empty = "";
open(my $file, "<", $namespace) or die "open $namespace: $!\n";
my $tree = call("open_tree $source", $open_tree, $at_fdcwd, $source, $clone_and_close);
my $attributes = pack("Q4", $mount_attr_idmap, 0, 0, fileno($file));
call("mount_setattr $source", $mount_setattr, $tree, $empty, $at_empty_path, $attributes, length($attributes));
call("move_mount $target", $move_mount, $tree, $empty, $at_fdcwd, $target, $move_empty_path);
$attributes = pack("Q4", 0, 0, $private, 0);
call("mount_setattr $target", $mount_setattr, $at_fdcwd, $target, 0, $attributes, length($attributes));
`;
