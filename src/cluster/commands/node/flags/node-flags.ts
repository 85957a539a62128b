import type { Values } from "../../../../cli/flag.ts";
import { globalFlags } from "../../../flags/global-flags.ts";
import { type FlagGroup, flagGroupOptions, flagGroupProblems } from "../../../flags/option-flag.ts";
import { helpNote } from "../unsupported-settings.ts";
import { cadvisorFlags } from "./cadvisor-flags.ts";
import type { ConfigFlag } from "./config-flag.ts";
import { configFlags } from "./config-flags.ts";
import { type KubeletFlags, kubeletFlags } from "./kubelet-flags.ts";
import { removedFlags } from "./removed-flags.ts";

const allFlags = {
  ...kubeletFlags,
  ...configFlags,
  ...cadvisorFlags,
  ...globalFlags,
};

/** All flags of `wherry node`: ours, those of the kubelet v1.36, and those that it no longer has. */
export const nodeFlags: typeof allFlags = withNotes({ ...allFlags, ...removedFlags });

export type NodeFlags = Values<typeof nodeFlags>;

const groups: readonly FlagGroup<KubeletFlags, NodeFlags>[] = [
  { flags: removedFlags },
  {
    flags: kubeletFlags,
    problems: (flags) =>
      flags["exit-on-lock-contention"] && flags["lock-file"] === ""
        ? ["cannot exit on lock file contention: no lock file specified"]
        : [],
  },
];

/** The problems of the flags that set no field of the configuration. */
export const kubeletFlagProblems = (flags: NodeFlags, given: ReadonlySet<string>): string[] =>
  flagGroupProblems(groups, flags, given);

/** The settings of the flags that set no field of the configuration. */
export const kubeletFlagOptions = async (flags: NodeFlags): Promise<KubeletFlags> =>
  (await flagGroupOptions(groups, flags)) as KubeletFlags;

/** Says in help which flags are not supported yet. */
function withNotes<F extends Readonly<Record<string, Partial<ConfigFlag>>>>(flags: F): F {
  const noted = Object.entries(flags).map(([name, flag]) => {
    return [name, { ...flag, usage: `${flag.usage}${helpNote(name, flag.field)}` }];
  });
  return Object.fromEntries(noted) as F;
}
