import { intFlag, stringsFlag } from "../../../../cli/flag.ts";
import { systemEntropy } from "../../../../platform/system-entropy.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { newObject } from "./new-object.ts";

export const createDeploymentCommand = createObjectCommand({
  command: {
    name: "deployment",
    aliases: ["deploy"],
    usage: "NAME --image=image -- [COMMAND] [args...]",
    short: "Create a deployment with the specified name",
    long: "Create a deployment with the given name.",
    examples: `# Create a deployment of an image
kubectl create deployment my-dep --image=busybox

# Run a command in it
kubectl create deployment my-dep --image=busybox -- date

# Create a deployment with three replicas
kubectl create deployment my-dep --image=nginx --replicas=3

# Create a deployment whose container has a port
kubectl create deployment my-dep --image=busybox --port=5701

# Create a deployment with several containers
kubectl create deployment my-dep --image=busybox:latest --image=ubuntu:latest --image=nginx`,
    requiredFlags: ["image"],
  },
  flags: {
    image: stringsFlag({
      usage: "The image to run; each image gets a container of its own in the pod.",
    }),
    port: intFlag({ default: -1, usage: "The port of the first container." }),
    replicas: intFlag({ short: "r", default: 1, usage: "How many pods there are." }),
  },
  kind: {
    group: "apps",
    version: "v1",
    kind: "Deployment",
    plural: "deployments",
    scope: "Namespaced",
  },
  failure: () => "failed to create deployment: ",
  generate({ name, namespace, flags, rest }) {
    const { image: images, port, replicas } = flags;
    if (images.length > 1 && rest.length > 0)
      throw new Error("cannot specify multiple --image options and command");
    const labels = { app: name };
    const containers = images.map((image, at) => ({
      name: containerName(image),
      image,
      ...(rest.length > 0 && { command: rest }),
      ...(at === 0 && port >= 0 && { ports: [{ containerPort: port }] }),
      resources: {},
    }));
    const spec = {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
      strategy: {},
    };
    return newObject("apps/v1 Deployment", { name, namespace, labels }, { spec, status: {} });
  },
});

/** A name from the last part of an image; one that had to be changed gets a suffix, to be unique. */
function containerName(image: string): string {
  const [base = ""] = (image.split("/").at(-1) ?? "").split(/[:@]/);
  const name = base.replace(/[_.]/g, "-");
  return name === base ? base : `${name}-${systemEntropy.suffix(5)}`;
}
