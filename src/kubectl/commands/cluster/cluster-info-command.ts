import type { Service } from "../../../api/core/v1/service/service.ts";
import { globalFlags } from "../../program/global-flags.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { isList } from "../../resource/info.ts";

export const clusterInfoCommand = kubectlCommand({
  name: "cluster-info",
  usage: "[flags]",
  short: "Display cluster information",
  long: `Display addresses of the control plane and services with label kubernetes.io/cluster-service=true. To find the causes of problems of a cluster, use 'kubectl cluster-info dump'.`,
  examples: `# Print the address of the control plane and cluster services
kubectl cluster-info`,
  commands: [
    {
      name: "dump",
      short: "Dump relevant information for debugging and diagnosis",
      load: async () => (await import("./cluster-info/dump-command.ts")).dumpCommand,
    },
  ],
  async run(context) {
    const { factory, io } = context;
    const server = await factory.server();
    const line = (name: string, link: string): void =>
      io.stdout.write(`${name} is running at ${link}\n`);
    try {
      const found = await findResources(context, {
        args: ["services"],
        namespace: context.inherited(globalFlags).namespace || "kube-system",
        labelSelector: "kubernetes.io/cluster-service=true",
        allowsTypeAlone: false,
        isLatest: true,
      });
      await found.visit((info, error) => {
        if (error) throw error;
        line("Kubernetes control plane", server);
        const services = isList(info.object) ? info.object.items : [];
        for (const service of services as unknown as readonly Service[]) {
          const { name = "", labels } = service.metadata;
          line(labels?.["kubernetes.io/name"] || name, linkOf(service, server));
        }
      });
    } finally {
      io.stdout.write(
        "\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n",
      );
    }
    return undefined;
  },
});

/** The addresses of a load balancer, else the path through the API server. */
function linkOf({ metadata, spec, status }: Service, server: string): string {
  const [ingress] = status?.loadBalancer?.ingress ?? [];
  const ports = spec?.ports ?? [];
  if (ingress)
    return ports
      .map(({ port }) => `http://${ingress.ip || ingress.hostname || ""}:${port} `)
      .join("");
  const { name = "", namespace = "" } = metadata;
  const [first] = ports;
  const isHttps = first?.name === "https" || first?.port === 443;
  const portName = first?.name ?? "";
  let target = name;
  if (isHttps) target = `https:${name}:${portName}`;
  else if (portName !== "") target = `${name}:${portName}`;
  return `${server}/api/v1/namespaces/${namespace}/services/${target}/proxy`;
}
