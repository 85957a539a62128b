import type { Values } from "../../../../cli/flag.ts";
import type { ResourceQuery } from "../../../resource/find-resources.ts";
import { kubectlScheme } from "../../../resource/typed-object.ts";
import { filenameFlags, filenameQuery, namesFiles } from "../../shared/filename-flags.ts";
import { labelSelectorFlags } from "../../shared/selector-flags.ts";

/** The flags that say which objects have the rollout. */
export const rolloutTargetFlags = {
  ...filenameFlags("identifying the resource to get from a server."),
  ...labelSelectorFlags,
};

/** The objects that flags and arguments name; throws if they name none. */
export function rolloutQuery(
  flags: Values<typeof rolloutTargetFlags>,
  args: readonly string[],
): ResourceQuery {
  if (args.length === 0 && !namesFiles(flags)) throw new Error("required resource not specified");
  return {
    ...filenameQuery(flags),
    args,
    allowsTypeAlone: true,
    labelSelector: flags.selector,
    continuesOnError: true,
    isLatest: true,
    flattens: true,
    scheme: kubectlScheme,
  };
}
