import type { ChildProcess } from "node:child_process";

/**
 * The child of a call of `spawn`. Without descriptors left, Node makes no streams for it, and reports the error later,
 * which would end a process that stumbles over the missing streams before it listens: this throws instead.
 */
export function spawned<Child extends ChildProcess>(child: Child, program: string): Child {
  if ((child.stdio as unknown) !== undefined) return child;
  child.on("error", () => {});
  throw new Error(`cannot run ${program}: too many open files`);
}
