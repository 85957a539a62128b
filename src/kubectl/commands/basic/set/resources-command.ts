import { stringFlag } from "../../../../cli/flag.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { dryRunOf } from "../../shared/dry-run.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { recorded, recordFlags } from "../../shared/record.ts";
import { resourceAmounts } from "../../shared/resource-amounts.ts";
import { labelSelectorFlags } from "../../shared/selector-flags.ts";
import { patchObjects } from "./patch-objects.ts";
import { withContainers, withPodSpec } from "./pod-spec.ts";
import { checkLocal, findTyped, localAndServer, setFlags } from "./set-flags.ts";

export const setResourcesCommand = kubectlCommand({
  name: "resources",
  usage: "(-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]",
  short: "Update resource requests/limits on objects with pod templates",
  long: `Specify how much of the resources of a node (CPU, memory) containers request, and what they may use at most. A pod gets what it requests, and may use more, up to its limits.

Where a limit is given without a request, the request is the limit.

Use "kubectl api-resources" for a complete list of supported resources.`,
  examples: `# Limit the CPU and the memory of the container nginx of a deployment
kubectl set resources deployment nginx -c=nginx --limits=cpu=200m,memory=512Mi

# Set requests and limits of all containers
kubectl set resources deployment nginx --limits=cpu=200m,memory=512Mi --requests=cpu=100m,memory=256Mi

# Remove requests and limits
kubectl set resources deployment nginx --limits=cpu=0,memory=0 --requests=cpu=0,memory=0

# Print what a change of a file would be, without a server
kubectl set resources -f path/to/file.yaml --limits=cpu=200m,memory=512Mi --local -o yaml`,
  flags: {
    ...recordFlags,
    ...setFlags("identifying the resource to get from a server.", "resources"),
    ...labelSelectorFlags,
    containers: stringFlag({
      short: "c",
      default: "*",
      usage:
        "The names of containers in the selected pod templates to change, all containers are selected by default - may use wildcards",
    }),
    limits: stringFlag({
      usage:
        "The limits of the containers, such as 'cpu=100m,memory=256Mi'. The server may change them, by limit ranges for example.",
    }),
    requests: stringFlag({
      usage:
        "The requests of the containers, such as 'cpu=100m,memory=256Mi'. The server may change them, by limit ranges for example.",
    }),
  },
  async run(context) {
    const { flags, args } = context;
    const dryRun = dryRunOf(context);
    objectPrinter(context);
    checkLocal(flags, args);
    const infos = await findTyped(context, flags, { args });
    if (flags.local && dryRun === "server") throw new Error(localAndServer);
    if (flags.all && flags.selector !== "")
      throw new Error("cannot set --all and --selector at the same time");
    if (flags.limits === "" && flags.requests === "")
      throw new Error(
        "you must specify an update to requests or limits (in the form of --requests/--limits)",
      );
    const limits = resourceAmounts(flags.limits);
    const requests = resourceAmounts(flags.requests);
    const errors: Error[] = [];
    return patchObjects(context, infos, {
      operation: "resource requirements updated",
      dryRun,
      failure: "failed to patch resources update to pod template ",
      errors,
      change(object) {
        let isFound = false;
        const after = withPodSpec(object, (spec) => {
          const changed = withContainers(spec, flags.containers, (container) => {
            const { resources = {} } = container;
            return {
              ...container,
              resources: {
                ...resources,
                limits: { ...resources.limits, ...limits },
                requests: { ...resources.requests, ...requests },
              },
            };
          });
          isFound = changed !== undefined;
          return changed ?? spec;
        });
        if (isFound) return recorded(context, after);
        errors.push(new Error(`error: unable to find container named ${flags.containers}`));
        return undefined;
      },
    });
  },
});
