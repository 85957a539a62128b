import { stringFlag } from "../../../../cli/flag.ts";
import { setEntry } from "../../../../kubeconfig/edit-kubeconfig.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";
import { fileMembers, requireFile } from "./embedded-files.ts";
import { tristateFlag } from "./tristate-flag.ts";
import { unexpectedArguments } from "./unexpected-arguments.ts";

export const setClusterCommand = kubectlCommand({
  name: "set-cluster",
  usage:
    "NAME [--server=server] [--certificate-authority=path/to/certificate/authority] [--insecure-skip-tls-verify=true] [--tls-server-name=example.com]",
  short: "Set a cluster entry in kubeconfig",
  long: `Set a cluster entry in kubeconfig.

If the cluster exists, only the given fields are changed.`,
  examples: `# Set only the server field on the e2e cluster entry without touching other values
kubectl config set-cluster e2e --server=https://1.2.3.4

# Embed certificate authority data for the e2e cluster entry
kubectl config set-cluster e2e --embed-certs --certificate-authority=~/.kube/e2e/kubernetes.ca.crt

# Disable cert checking for the e2e cluster entry
kubectl config set-cluster e2e --insecure-skip-tls-verify=true

# Set the custom TLS server name to use for validation for the e2e cluster entry
kubectl config set-cluster e2e --tls-server-name=my-cluster-name

# Set the proxy URL for the e2e cluster entry
kubectl config set-cluster e2e --proxy-url=https://1.2.3.4`,
  flags: {
    server: stringFlag({ usage: "server for the cluster entry in kubeconfig" }),
    "tls-server-name": stringFlag({
      usage: "tls-server-name for the cluster entry in kubeconfig",
    }),
    "insecure-skip-tls-verify": tristateFlag(
      "insecure-skip-tls-verify for the cluster entry in kubeconfig",
    ),
    "certificate-authority": stringFlag({
      usage: "Path to certificate-authority file for the cluster entry in kubeconfig",
    }),
    "embed-certs": tristateFlag("embed-certs for the cluster entry in kubeconfig"),
    "proxy-url": stringFlag({ usage: "proxy-url for the cluster entry in kubeconfig" }),
  },
  async run(context) {
    const { flags, given, args, io, cwd } = context;
    const [name] = args;
    if (name === undefined || args.length !== 1) throw unexpectedArguments(context);
    const authority = flags["certificate-authority"];
    const insecure = flags["insecure-skip-tls-verify"] ?? false;
    const embeds = flags["embed-certs"] ?? false;
    if (name === "") throw new Error("you must specify a non-empty cluster name");
    if (insecure && authority !== "")
      throw new Error(
        "you cannot specify a certificate authority and insecure mode at the same time",
      );
    if (embeds && authority === "")
      throw new Error("you must specify a --certificate-authority to embed");
    if (embeds) await requireFile("certificate-authority", authority, cwd);
    const files = given.has("certificate-authority")
      ? await fileMembers("certificate-authority", authority, { embeds, cwd })
      : {};
    await configAccess(context).modify((config) =>
      setEntry(config, "clusters", {
        name,
        ...(given.has("server") && { server: flags.server, "tls-server-name": undefined }),
        ...(given.has("tls-server-name") && {
          "tls-server-name": flags["tls-server-name"] || undefined,
        }),
        // The original knows no "not given" here: each call sets the flag.
        "insecure-skip-tls-verify": insecure || undefined,
        ...(insecure && {
          "certificate-authority": undefined,
          "certificate-authority-data": undefined,
        }),
        ...files,
        ...(given.has("proxy-url") && { "proxy-url": flags["proxy-url"] || undefined }),
      }),
    );
    io.stdout.write(`Cluster ${quote(name)} set.\n`);
    return undefined;
  },
});
