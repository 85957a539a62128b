import { decodeLeniently, field, struct, text } from "../config/decoder.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { nodeOfValue } from "../nodes/resolve-node.ts";
import { ResMap } from "../resources/res-map.ts";
import { Resource } from "../resources/resource.ts";
import type { Generator } from "./plugin.ts";

const iamPolicyDecoder = struct("IAMPolicyGeneratorArgs", {
  cloud: field(text("types.Cloud")),
  kubernetesService: field(
    struct("KubernetesService", { name: field(text()), namespace: field(text()) }),
  ),
  serviceAccount: field(
    struct("ServiceAccount", { name: field(text()), projectId: field(text()) }),
  ),
});

/** Makes a service account that stands for one of Google's cloud. */
export function iamPolicyGenerator(config: unknown): Generator {
  const { cloud, kubernetesService, serviceAccount } = decodeLeniently(iamPolicyDecoder, config);
  const { name, namespace } = kubernetesService;
  const account = `${serviceAccount.name}@${serviceAccount.projectId}.iam.gserviceaccount.com`;
  return {
    generate: async () => {
      if (cloud !== "gke") throw new KustomizeError(`cloud provider ${cloud} not supported yet`);
      const node = nodeOfValue({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: {
          annotations: { "iam.gke.io/gcp-service-account": account },
          name,
          ...(namespace === "" ? {} : { namespace }),
        },
      });
      return new ResMap([new Resource(node)]);
    },
  };
}
