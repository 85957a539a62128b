/** A seccomp profile in the form of an OCI configuration, as far as the engine makes one. */
export interface Seccomp {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly architectures?: readonly string[];
  readonly flags?: readonly string[];
  readonly listenerPath?: string;
  readonly listenerMetadata?: string;
  readonly syscalls: readonly SeccompRule[];
}

/** A rule for system calls; all of its arguments must match. */
export interface SeccompRule {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly SeccompArgument[];
}

export interface SeccompArgument {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: string;
}

/** What conditions of a profile depend on. */
export interface SeccompContext {
  /** The bounding set of the container. */
  readonly capabilities: readonly string[];
  /** As Node names it: `x64`, `arm64`. */
  readonly architecture: string;
  /** Such as `6.1.0-13-amd64`. */
  readonly kernelVersion: string;
}
