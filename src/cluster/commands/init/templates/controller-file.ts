import type { ProjectNames } from "../project-names.ts";

/** The controller of the kind. */
export const controllerFile = ({ name, kind, file, value }: ProjectNames): string =>
  `import { Deployment } from "wherry/api";
import { keyOf } from "wherry/client";
import { objectController, withCondition, withController } from "wherry/controller";
import { ${kind} } from "./${file}.ts";

/**
 * Keeps a deployment for each ${kind}, and says in its status how far that is. It runs for every change
 * of a ${kind} or of its deployment, and may be stopped anywhere: each time it starts from what it sees.
 */
export const ${value}Controller = objectController({
  name: "${file}",
  for: ${kind},
  owns: [Deployment],

  async reconcile(${value}, { client, clock }) {
    const { name, namespace, generation, deletionTimestamp } = ${value}.metadata;
    // The garbage collector deletes what a deleted object owns.
    if (deletionTimestamp) return;

    const { image, replicas } = ${value}.spec;
    const labels = { "app.kubernetes.io/name": "${file}", "app.kubernetes.io/instance": name ?? "" };
    const wanted = {
      metadata: { name, namespace, labels },
      spec: {
        replicas,
        minReadySeconds: 5,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "main", image }] },
        },
      },
    };
    // Server-side apply sets these fields, and leaves those of others as they are.
    const deployment = await client.apply(Deployment, withController(wanted, ${value}), {
      fieldManager: "${name}",
      force: true,
    });

    const availableReplicas = deployment.status?.availableReplicas ?? 0;
    const isAvailable = availableReplicas >= replicas;
    const old = ${value}.status;
    const conditions = withCondition(
      old?.conditions,
      {
        type: "Available",
        status: isAvailable ? "True" : "False",
        reason: isAvailable ? "PodsAvailable" : "WaitingForPods",
        message: \`\${availableReplicas} of \${replicas} pods are available\`,
        observedGeneration: generation,
      },
      clock,
    );
    if (old?.availableReplicas === availableReplicas && old.conditions === conditions) return;
    const merge = { status: { availableReplicas, conditions } };
    await client.patch(${kind}, keyOf(${value}), { merge }, { subresource: "status" });
  },
});
`;
