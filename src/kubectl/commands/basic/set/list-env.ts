import type { DynamicObject } from "../../../../client/resource-kind.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { referencedValue, referenceText } from "./env-references.ts";
import type { Container, EnvVariable } from "./pod-spec.ts";

/** Prints the variables of containers, values as `KEY=VALUE`, references as comments unless they are resolved. */
export async function listEnv(
  { factory, io, signal }: Pick<CommandContext, "factory" | "io" | "signal">,
  {
    object,
    containers,
    resolves,
  }: {
    readonly object: DynamicObject;
    readonly containers: readonly Container[];
    readonly resolves: boolean;
  },
): Promise<void> {
  const { namespace } = await factory.namespace();
  const line = (text: string): void => io.stdout.write(`${text}\n`);
  for (const container of containers) {
    const known = new Map<string, DynamicObject>();
    const failures = new Map<string, string[]>();
    const resolvedValue = async ({ name, valueFrom }: EnvVariable): Promise<string | undefined> => {
      if (!resolves || !valueFrom) return undefined;
      const client = await factory.client();
      const context = { client, namespace, object, container, known, signal };
      try {
        return await referencedValue(valueFrom, context);
      } catch (error) {
        const { message } = error as Error;
        failures.set(message, [...(failures.get(message) ?? []), name]);
        return undefined;
      }
    };
    line(`# ${object.kind} ${object.metadata.name ?? ""}, container ${container.name}`);
    for (const variable of container.env ?? []) {
      const { name, value = "", valueFrom } = variable;
      const found = valueFrom ? await resolvedValue(variable) : value;
      if (found !== undefined) line(`${name}=${found}`);
      else line(`# ${name} from ${referenceText(valueFrom ?? {})}`);
    }
    const errors = [...failures].map(
      ([why, names]) => `error retrieving reference for ${names.sort().join(", ")}: ${why}`,
    );
    for (const text of errors.sort()) io.stderr.write(`${text}\n`);
  }
}
