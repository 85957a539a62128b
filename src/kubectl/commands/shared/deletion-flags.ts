import { boolFlag, durationFlag, intFlag, stringFlag, type Values } from "../../../cli/flag.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import { boolValue } from "./bool-value.ts";

/** How objects are deleted by commands that may have to replace them. */
export const deletionFlags = {
  force: boolFlag({
    usage:
      "If true, immediately remove resources from the API and bypass graceful deletion. For some resources this may lose data or leave the cluster inconsistent, and it requires confirmation.",
  }),
  cascade: {
    ...stringFlag({
      default: "background",
      usage:
        'Must be "background", "orphan", or "foreground": how the dependents of a deleted object are deleted, such as the pods of a ReplicationController.',
    }),
    implied: "background",
  },
  "grace-period": intFlag({
    default: -1,
    usage:
      "Period of time in seconds given to the resource to terminate gracefully. Ignored if negative. Set to 1 for immediate shutdown. Can only be set to 0 when --force is true (force deletion).",
  }),
  timeout: durationFlag({
    usage:
      "The length of time to wait before giving up on a delete, zero means determine a timeout from the size of the object",
  }),
  wait: boolFlag({
    usage: "If true, wait for resources to be gone before returning. This waits for finalizers.",
  }),
};

export type Propagation = "Background" | "Foreground" | "Orphan";

/** What `--cascade` says; booleans are read with a warning. */
export function propagationOf({ flags, io }: Pick<CommandContext, "flags" | "io">): Propagation {
  const { cascade } = flags as Pick<Values<typeof deletionFlags>, "cascade">;
  const bool = boolValue(cascade);
  if (bool !== undefined) {
    const replacement = bool ? "background" : "orphan";
    io.stderr.write(
      `warning: --cascade=${cascade} is deprecated (boolean value) and can be replaced with --cascade=${replacement}.\n`,
    );
    return bool ? "Background" : "Orphan";
  }
  if (cascade === "orphan") return "Orphan";
  if (cascade === "foreground") return "Foreground";
  if (cascade === "background") return "Background";
  throw new Error(
    `invalid cascade value (${cascade}). Must be "background", "foreground", or "orphan"`,
  );
}

/** The options of a deletion request, as Go's struct has them. */
export function deletionOptions(gracePeriod: number, propagationPolicy: Propagation): object {
  return {
    ...(gracePeriod >= 0 && { gracePeriodSeconds: gracePeriod }),
    propagationPolicy,
  };
}
