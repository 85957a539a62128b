import { boolFlag, intFlag, stringFlag } from "../../../../cli/flag.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { newObject } from "./new-object.ts";

export const createPriorityClassCommand = createObjectCommand({
  command: {
    name: "priorityclass",
    aliases: ["pc"],
    usage: "NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]",
    short: "Create a priority class with the specified name",
    long: "Create a priority class with a name, a value, a description, and whether it is the default.",
    examples: `# Create the priority class high-priority
kubectl create priorityclass high-priority --value=1000 --description="high priority"

# Create the priority class of pods that name none
kubectl create priorityclass default-priority --value=1000 --global-default=true

# Create a priority class whose pods never preempt others
kubectl create priorityclass high-priority --value=1000 --preemption-policy="Never"`,
  },
  flags: {
    value: intFlag({ usage: "The priority of pods with this class." }),
    "global-default": boolFlag({
      usage: "Whether pods that name no class get this one.",
    }),
    description: stringFlag({ usage: "When the class should be used, in free text." }),
    "preemption-policy": stringFlag({
      default: "PreemptLowerPriority",
      usage: "Whether pods with the class preempt pods with a lower priority.",
    }),
  },
  kind: {
    group: "scheduling.k8s.io",
    version: "v1",
    kind: "PriorityClass",
    plural: "priorityclasses",
    scope: "Cluster",
  },
  failure: () => "failed to create priorityclass: ",
  generate({ name, flags }) {
    const { value, description } = flags;
    return newObject(
      "scheduling.k8s.io/v1 PriorityClass",
      { name },
      {
        value,
        ...(flags["global-default"] && { globalDefault: true }),
        ...(description !== "" && { description }),
        preemptionPolicy: flags["preemption-policy"],
      },
    );
  },
});
