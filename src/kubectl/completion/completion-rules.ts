import { tableFormats } from "../print/print-flags.ts";
import { beginning, objectNames, type Rule, withoutFiles } from "./candidates.ts";
import { copySource } from "./copy-rule.ts";
import { entryArgument, entryName } from "./kubeconfig-rules.ts";
import {
  containerName,
  nameOf,
  podAndContainer,
  podAndPort,
  podName,
  typeAndName,
} from "./resource-rules.ts";

const withRevisions = typeAndName({ types: ["deployment", "daemonset", "statefulset"] });
const scaled = typeAndName({
  types: ["deployment", "replicaset", "replicationcontroller", "statefulset"],
});

/** How the arguments of commands are completed, by the full names of the commands without `kubectl`. */
export const argumentRules: Readonly<Record<string, Rule>> = {
  annotate: typeAndName(),
  "apply edit-last-applied": typeAndName(),
  "apply view-last-applied": typeAndName(),
  attach: podName,
  autoscale: scaled,
  "config delete-cluster": entryArgument("clusters"),
  "config delete-context": entryArgument("contexts"),
  "config delete-user": entryArgument("users"),
  "config rename-context": entryArgument("contexts"),
  "config set-context": entryArgument("contexts"),
  "config use-context": entryArgument("contexts"),
  cordon: nameOf("node"),
  cp: copySource,
  "create token": nameOf("serviceaccount"),
  debug: typeAndName(),
  delete: typeAndName(),
  describe: typeAndName(),
  drain: nameOf("node"),
  edit: typeAndName(),
  exec: podName,
  expose: typeAndName({
    types: ["pod", "service", "replicationcontroller", "deployment", "replicaset"],
  }),
  get: typeAndName(),
  label: typeAndName(),
  logs: podAndContainer,
  patch: typeAndName(),
  "port-forward": podAndPort,
  "rollout history": withRevisions,
  "rollout pause": typeAndName({ types: ["deployment"] }),
  "rollout restart": withRevisions,
  "rollout resume": typeAndName({ types: ["deployment"] }),
  "rollout status": typeAndName({
    types: ["deployment", "daemonset", "statefulset"],
    isOne: true,
  }),
  "rollout undo": withRevisions,
  scale: scaled,
  "set image": typeAndName({
    types: [
      "daemonsets",
      "deployments",
      "pods",
      "cronjobs",
      "replicasets",
      "replicationcontrollers",
      "statefulsets",
    ],
    isOne: true,
  }),
  taint: typeAndName({ types: ["node"] }),
  "top node": nameOf("node"),
  "top pod": nameOf("pod"),
  uncordon: nameOf("node"),
};

/** Words that are the only ones for the first argument. */
export const fixedArguments: Readonly<Record<string, readonly string[]>> = {
  completion: ["bash", "fish", "powershell", "zsh"],
};

const namesOf =
  (type: string): Rule =>
  async (line) =>
    withoutFiles(await objectNames(line, type));
const subresource: Rule = () => withoutFiles(["status", "scale", "resize"]);

/** How the values of flags that all commands have are completed. */
const globalFlagRules: Readonly<Record<string, Rule>> = {
  namespace: namesOf("namespace"),
  context: entryName("contexts"),
  cluster: entryName("clusters"),
  user: entryName("users"),
};

/** How the values of flags of single commands are completed. */
const flagRules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  apply: { subresource },
  "config set-context": { namespace: namesOf("namespace") },
  "create clusterrolebinding": { clusterrole: namesOf("clusterrole") },
  edit: { subresource },
  exec: { container: containerName },
  get: {
    subresource,
    output: ({ word }) => withoutFiles(beginning(tableFormats(), word)),
  },
  patch: { subresource },
  replace: { subresource },
};

/** The rule for the value of a flag; `isOwn` if the command itself declares the flag. */
export function flagRule(command: string, flag: string, isOwn: boolean): Rule | undefined {
  return flagRules[command]?.[flag] ?? (isOwn ? undefined : globalFlagRules[flag]);
}
