import { quote } from "../../../../schema/values/quote.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { configAccess } from "./config-access.ts";
import { changedValue } from "./config-value.ts";
import { tristateFlag } from "./tristate-flag.ts";
import { unexpectedArguments } from "./unexpected-arguments.ts";

const propertyNames =
  "PROPERTY_NAME is made of names of fields and entries, separated by dots. The names of entries must not contain dots.";

export const setCommand = kubectlCommand({
  name: "set",
  usage: "PROPERTY_NAME PROPERTY_VALUE",
  short: "Set an individual value in a kubeconfig file",
  long: `Set an individual value in a kubeconfig file.

${propertyNames}

PROPERTY_VALUE is the new value. For binary fields, such as 'certificate-authority-data', it is base64, unless --set-raw-bytes says that it is the data itself.

The other fields of an entry that exists are kept.`,
  examples: `# Set the server field on the my-cluster cluster to https://1.2.3.4
kubectl config set clusters.my-cluster.server https://1.2.3.4

# Set the certificate-authority-data field on the my-cluster cluster
kubectl config set clusters.my-cluster.certificate-authority-data $(echo "cert_data_here" | base64 -i -)

# Set the cluster field in the my-context context to my-cluster
kubectl config set contexts.my-context.cluster my-cluster

# Set the client-key-data field in the cluster-admin user using --set-raw-bytes option
kubectl config set users.cluster-admin.client-key-data cert_data_here --set-raw-bytes=true`,
  flags: {
    "set-raw-bytes": tristateFlag(
      "When writing a []byte PROPERTY_VALUE, write the given string directly without base64 decoding.",
    ),
  },
  async run(context) {
    const { args, flags, io } = context;
    const [property, value] = args;
    if (property === undefined || value === undefined || args.length !== 2)
      throw unexpectedArguments(context);
    if (value === "") throw new Error("you cannot use set to unset a property");
    if (property === "") throw new Error("you must specify a property");
    const isRaw = flags["set-raw-bytes"] ?? false;
    await configAccess(context).modify(
      (config) => changedValue(config, property, { text: value, isRaw }),
      { isRelative: false },
    );
    io.stdout.write(`Property ${quote(property)} set.\n`);
    return undefined;
  },
});

export const unsetCommand = kubectlCommand({
  name: "unset",
  usage: "PROPERTY_NAME",
  short: "Unset an individual value in a kubeconfig file",
  long: `Unset an individual value in a kubeconfig file.

${propertyNames}`,
  examples: `# Unset the current-context
kubectl config unset current-context

# Unset namespace in foo context
kubectl config unset contexts.foo.namespace`,
  async run(context) {
    const { args, io } = context;
    const [property] = args;
    if (property === undefined || args.length !== 1) throw unexpectedArguments(context);
    if (property === "") throw new Error("you must specify a property");
    await configAccess(context).modify((config) => changedValue(config, property, undefined), {
      isRelative: false,
    });
    io.stdout.write(`Property ${quote(property)} unset.\n`);
    return undefined;
  },
});
