import { isKernelAtLeast } from "./kernel-version.ts";
import type { Seccomp, SeccompContext, SeccompRule } from "./seccomp-types.ts";

/** A profile in docker's form, whose rules may depend on the node and the container. */
export interface DockerSeccomp extends Omit<Seccomp, "syscalls" | "defaultAction"> {
  readonly defaultAction?: string;
  readonly archMap?:
    | readonly {
        readonly architecture: string;
        readonly subArchitectures?: readonly string[] | null;
      }[]
    | null;
  readonly syscalls?: readonly DockerSeccompRule[] | null;
}

interface DockerSeccompRule extends Omit<SeccompRule, "names"> {
  readonly name?: string;
  readonly names?: readonly string[] | null;
  readonly comment?: string;
  readonly includes?: SeccompCondition | null;
  readonly excludes?: SeccompCondition | null;
}

interface SeccompCondition {
  readonly caps?: readonly string[] | null;
  readonly arches?: readonly string[] | null;
  readonly minKernel?: string;
}

/** The rules of a profile in docker's form that hold here; undefined if it has none at all. */
export function resolveDockerSeccomp(
  profile: DockerSeccomp,
  context: SeccompContext,
): Seccomp | undefined {
  const { archMap, syscalls, defaultAction, architectures, ...rest } = profile;
  if (!defaultAction && !syscalls?.length) return undefined;
  if (architectures?.length && archMap?.length) {
    throw new Error(
      "both 'architectures' and 'archMap' are specified in the seccomp profile, use either 'architectures' or 'archMap'",
    );
  }
  const native = nativeNames[context.architecture];
  const mapped = archMap?.find(({ architecture }) => architecture === native);
  const names = mapped
    ? [mapped.architecture, ...(mapped.subArchitectures ?? [])]
    : (architectures ?? []);
  return {
    ...rest,
    defaultAction: defaultAction ?? "",
    ...(names.length > 0 && { architectures: names }),
    syscalls: (syscalls ?? [])
      .filter((rule) => holds(rule, context))
      .map(({ includes: _in, excludes: _ex, comment: _comment, name, names, ...rule }) => ({
        ...rule,
        names: namesOf(name, names ?? []),
      })),
  };
}

const nativeNames: Readonly<Record<string, string>> = {
  x64: "SCMP_ARCH_X86_64",
  arm64: "SCMP_ARCH_AARCH64",
};

/** Architectures as conditions name them. */
const conditionNames: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

function holds({ includes, excludes }: DockerSeccompRule, context: SeccompContext): boolean {
  const parts = (condition: SeccompCondition): { any: boolean; all: boolean } => {
    const results = [
      ...(condition.arches?.length
        ? [condition.arches.includes(conditionNames[context.architecture] ?? context.architecture)]
        : []),
      ...(condition.caps ?? []).map((name) => context.capabilities.includes(name)),
      ...(condition.minKernel ? [isKernelAtLeast(context.kernelVersion, condition.minKernel)] : []),
    ];
    return { any: results.includes(true), all: !results.includes(false) };
  };
  return (!includes || parts(includes).all) && !(excludes && parts(excludes).any);
}

function namesOf(name: string | undefined, names: readonly string[]): readonly string[] {
  if (!name) return names;
  if (names.length > 0) {
    throw new Error(
      "both 'name' and 'names' are specified in the seccomp profile, use either 'name' or 'names'",
    );
  }
  return [name];
}
