import { boolFlag } from "../../../cli/flag.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";

/** The annotation with the command line that changed an object. */
export const changeCauseAnnotation = "kubernetes.io/change-cause";

export const recordFlags = {
  record: {
    ...boolFlag({
      usage:
        "Record the current kubectl command in an annotation of the resource. If false, do not record it.",
      deprecated: "--record will be removed in the future",
    }),
  },
};

/** With `--record`, adds the command line to the annotations of an object; else returns the object itself. */
export function recorded<O extends DynamicObject>(
  context: Pick<CommandContext, "flags" | "given" | "calledAs" | "args">,
  object: O,
): O {
  const { record } = context.flags as { readonly record?: boolean };
  if (record !== true) return object;
  const annotations = {
    ...object.metadata?.annotations,
    [changeCauseAnnotation]: commandLine(context),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The command with its arguments, and after them all flags with their full names. */
function commandLine({
  flags,
  given,
  calledAs,
  args,
}: Pick<CommandContext, "flags" | "given" | "calledAs" | "args">): string {
  const values = flags as Readonly<Record<string, unknown>>;
  const texts = [...given].flatMap((name) => {
    const value = values[name];
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    return all.map((one) => `--${name}=${String(one)}`);
  });
  return [calledAs, ...args, ...texts].join(" ");
}
