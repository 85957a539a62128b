import { joinedErrors } from "../../../program/command-error.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { resourcesAndPairs } from "../../settings/metadata-flags.ts";
import { dryRunOf } from "../../shared/dry-run.ts";
import { namesFiles } from "../../shared/filename-flags.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { recorded, recordFlags } from "../../shared/record.ts";
import { labelSelectorFlags } from "../../shared/selector-flags.ts";
import { patchObjects } from "./patch-objects.ts";
import { type Container, type PodSpec, withPodSpec } from "./pod-spec.ts";
import { checkLocal, findTyped, localAndServer, setFlags } from "./set-flags.ts";

export const setImageCommand = kubectlCommand({
  name: "image",
  usage:
    "(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N",
  short: "Update the image of a pod template",
  long: `Update the images of containers that objects have already.

Possible resources include (case insensitive):

  pod (po), replicationcontroller (rc), deployment (deploy), daemonset (ds), statefulset (sts), cronjob (cj), replicaset (rs)`,
  examples: `# Set the images of two containers of a deployment
kubectl set image deployment/nginx busybox=busybox nginx=nginx:1.9.1

# Update the container nginx of all deployments and replication controllers
kubectl set image deployments,rc nginx=nginx:1.9.1 --all

# Update all containers of a daemon set
kubectl set image daemonset abc *=nginx:1.9.1

# Print what a change of a file would be, without a server
kubectl set image -f path/to/file.yaml nginx=nginx:1.9.1 --local -o yaml`,
  flags: {
    ...recordFlags,
    ...setFlags("identifying the resource to get from a server.", "image"),
    ...labelSelectorFlags,
  },
  async run(context) {
    const { flags, args } = context;
    const dryRun = dryRunOf(context);
    objectPrinter(context);
    const { resources, pairs } = resourcesAndPairs(args, "image");
    const images = new Map(pairs.map(parsedImage));
    checkInvalid(pairs);
    checkLocal(flags, resources);
    const infos = await findTyped(context, flags, { args: resources });
    const fault = joinedErrors([
      ...(flags.all && flags.selector !== ""
        ? [new Error("cannot set --all and --selector at the same time")]
        : []),
      ...(resources.length === 0 && !namesFiles(flags)
        ? [
            new Error(
              "one or more resources must be specified as <resource> <name> or <resource>/<name>",
            ),
          ]
        : []),
      ...imageFaults(images),
      ...(flags.local && dryRun === "server" ? [new Error(localAndServer)] : []),
    ]);
    if (fault) throw fault;
    const errors: Error[] = [];
    return patchObjects(context, infos, {
      operation: "image updated",
      dryRun,
      failure: "failed to patch image update to pod template: ",
      errors,
      change: (object) =>
        recorded(
          context,
          withPodSpec(object, (spec) => withImages(spec, images, errors)),
        ),
    });
  },
});

function parsedImage(pair: string): readonly [string, string] {
  const at = pair.indexOf("=");
  return [pair.slice(0, Math.max(at, 0)), pair.slice(at + 1)];
}

function checkInvalid(pairs: readonly string[]): void {
  const invalid = pairs.filter((pair) => !pair.includes("=") || pair.startsWith("="));
  if (invalid.length > 0) throw new Error(`invalid image format: ${invalid.join(", ")}`);
}

function imageFaults(images: ReadonlyMap<string, string>): readonly Error[] {
  if (images.size === 0) return [new Error("at least one image update is required")];
  if (images.size === 1 || !images.has("*")) return [];
  return [
    new Error(
      "all containers are already specified by *, but saw more than one container_name=container_image pairs",
    ),
  ];
}

/** Sets images; containers that the spec does not have are errors, the others are set nevertheless. */
function withImages(spec: PodSpec, images: ReadonlyMap<string, string>, errors: Error[]): PodSpec {
  let after = spec;
  for (const [name, image] of images) {
    let isFound = false;
    const set = (containers: readonly Container[]): readonly Container[] =>
      containers.map((container) => {
        if (container.name !== name && name !== "*") return container;
        isFound = true;
        return { ...container, image };
      });
    after = {
      ...after,
      ...(after.initContainers && { initContainers: set(after.initContainers) }),
      ...(after.containers && { containers: set(after.containers) }),
    };
    if (!isFound) errors.push(new Error(`error: unable to find container named "${name}"`));
  }
  return after;
}
