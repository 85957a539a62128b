import type { Flags, Values } from "../../../../cli/flag.ts";
import type { DiscoveredKind } from "../../../../client/discovery/rest-mapper.ts";
import { type DynamicObject, dynamicKind } from "../../../../client/resource-kind.ts";
import type { CommandContext, KubectlCommand } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { dryRunFlags, dryRunOf } from "../../shared/dry-run.ts";
import { fieldManagerFlags } from "../../shared/field-manager.ts";
import { fieldValidation, validateFlags } from "../../shared/field-validation.ts";
import { objectPrinter, outputFlags } from "../../shared/object-output.ts";
import { saveConfigFlags, withSavedStruct } from "../../shared/saved-configuration.ts";
import { nameArgument } from "./name-argument.ts";
import type { NewObject } from "./new-object.ts";

/** What a generator of an object knows besides its flags. */
export interface ObjectPlan<F extends Flags> {
  readonly name: string;
  /** The namespace that a flag named. */
  readonly namespace: string | undefined;
  readonly flags: Values<F>;
  /** The arguments after the name: a command for a container. */
  readonly rest: readonly string[];
}

/** How objects of one kind are made from flags. */
export interface ObjectDefinition<F extends Flags> {
  readonly command: Pick<
    KubectlCommand,
    "name" | "aliases" | "usage" | "short" | "long" | "examples" | "requiredFlags"
  >;
  readonly flags: F;
  readonly kind: Pick<DiscoveredKind, "group" | "version" | "kind" | "plural" | "scope">;
  /** What errors of the server start with; without it, they are printed as errors of the server. */
  failure?(flags: Values<F>): string;
  /** Whether `--save-config` has an effect; true if not given. */
  readonly savesConfig?: boolean;
  /** Whether upstream checks that the name is not empty. */
  readonly needsName?: boolean;
  /** Makes the object; throws for flags that contradict each other. */
  generate(plan: ObjectPlan<F>, context: CommandContext): NewObject | Promise<NewObject>;
}

const commonFlags = {
  ...outputFlags,
  ...saveConfigFlags,
  ...validateFlags,
  ...dryRunFlags,
  ...fieldManagerFlags("kubectl-create"),
};

/** A command that makes an object from its flags, and sends it. */
export function createObjectCommand<F extends Flags>(
  definition: ObjectDefinition<F>,
): KubectlCommand {
  const kind = dynamicKind(definition.kind);
  return {
    ...definition.command,
    flags: { ...commonFlags, ...definition.flags },
    async run(context) {
      const flags = context.flags as unknown as Values<F> & Values<typeof commonFlags>;
      const name = nameArgument(context);
      const dryRun = dryRunOf(context);
      const print = objectPrinter(context, { operation: "created", dryRun, keepsOrder: true });
      const validation = fieldValidation(flags);
      if (definition.needsName && name === "") throw new Error("name must be specified");
      const { factory, args, signal } = context;
      const { namespace, isGiven } = await factory.namespace();
      const generated = await definition.generate(
        { name, namespace: isGiven ? namespace : undefined, flags, rest: args.slice(1) },
        context,
      );
      const saves = flags["save-config"] && definition.savesConfig !== false;
      const saved = saves ? withSavedStruct(generated) : generated;
      if (dryRun === "client") {
        print(saved as DynamicObject);
        return undefined;
      }
      const requests = helper(await factory.client(), kind, {
        isDryRun: dryRun === "server",
        fieldManager: flags["field-manager"],
        fieldValidation: validation,
        signal,
        onWarning: (text) => factory.warn(text),
      });
      const place = kind.scope === "Namespaced" ? namespace : "";
      try {
        print(await requests.create(place, saved));
      } catch (error) {
        if (!definition.failure) throw error;
        throw new Error(`${definition.failure(flags)}${(error as Error).message}`, {
          cause: error,
        });
      }
      return undefined;
    },
  };
}
