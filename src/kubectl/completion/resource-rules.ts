import type { DynamicObject } from "../../client/resource-kind.ts";
import { podSelectorOf } from "../commands/shared/pods/workload-pods.ts";
import {
  beginning,
  directives,
  objectNames,
  outputOf,
  type Rule,
  resourceTypes,
  type TypedLine,
  templateWords,
  withoutFiles,
} from "./candidates.ts";

/** `TYPE NAME…` or `TYPE/NAME…`; only some types, or only one object, if the command takes no others. */
export const typeAndName =
  ({ types, isOne = false }: { types?: readonly string[]; isOne?: boolean } = {}): Rule =>
  async (line) => {
    const { args, word } = line;
    const [first, ...others] = args;
    const typesNow = async (): Promise<string[]> =>
      types ? beginning(types, word) : resourceTypes(line);
    if (first !== undefined && !first.includes("/")) {
      if (isOne && args.length > 1) return withoutFiles([]);
      const names = await objectNames(line, first);
      return withoutFiles(names.filter((name) => !others.includes(name)));
    }
    const slash = word.indexOf("/");
    if (slash < 0) {
      if (first === undefined) return withoutFiles(await typesNow());
      if (isOne) return withoutFiles([]);
      const words = (await typesNow()).map((type) => `${type}/`);
      return { words, directive: directives.noFiles | directives.noSpace };
    }
    if (isOne && first !== undefined) return withoutFiles([]);
    const type = word.slice(0, slash);
    const names = await objectNames(line, type, word.slice(slash + 1));
    return withoutFiles(names.map((name) => `${type}/${name}`).filter((it) => !args.includes(it)));
  };

/** The name of one object of a type. */
export const nameOf =
  (type: string): Rule =>
  async (line) =>
    withoutFiles(line.args.length === 0 ? await objectNames(line, type) : []);

const typesWithPods = [
  "daemonsets",
  "deployments",
  "pods",
  "jobs",
  "replicasets",
  "replicationcontrollers",
  "services",
  "statefulsets",
];

/** A pod, or an object that has pods. */
export const podName: Rule = async (line) => {
  const { word, args } = line;
  if (args.length > 0) return withoutFiles([]);
  const slash = word.indexOf("/");
  if (slash >= 0) {
    const type = word.slice(0, slash);
    const names = await objectNames(line, type, word.slice(slash + 1));
    return withoutFiles(names.map((name) => `${type}/${name}`));
  }
  const pods = await objectNames(line, "pod");
  const types = beginning(typesWithPods, word).map((type) => `${type}/`);
  const noSpace = pods.length === 0 ? directives.noSpace : 0;
  return { words: [...pods, ...types], directive: directives.noFiles | noSpace };
};

/** A container of the pod that the first argument names. */
export const containerName: Rule = async (line) => {
  const [first] = line.args;
  return withoutFiles(first === undefined ? [] : await containersOf(line, first));
};

/** A pod, then one of its containers. */
export const podAndContainer: Rule = async (line) => {
  const [first, ...others] = line.args;
  if (first === undefined) return podName(line);
  return withoutFiles(others.length === 0 ? await containersOf(line, first) : []);
};

async function containersOf(line: TypedLine, target: string): Promise<string[]> {
  const pod = await podOf(line, target);
  const containers =
    "{{ range .spec.initContainers }}{{ .name }} {{end}}{{ range .spec.containers  }}{{ .name }} {{ end }}";
  return templateWords(line, ["pod", pod], containers);
}

/** A pod, or an object that has pods, then one of its ports. */
export const podAndPort: Rule = async (line) => {
  const [first, ...others] = line.args;
  if (first === undefined) return podName(line);
  if (others.length > 0) return withoutFiles([]);
  const slash = first.indexOf("/");
  const type = slash < 0 ? "pod" : first.slice(0, slash);
  const local = line.word.split(":")[0] ?? "";
  if (["service", "services", "svc"].includes(type)) {
    const port = local === "" ? "{{ .port }}" : local;
    const template = `{{ range .spec.ports }}${port}:{{ .port }} {{ end }}`;
    return withoutFiles(await templateWords(line, ["service", first.slice(slash + 1)], template));
  }
  const pod = await podOf(line, first);
  const port = local === "" ? "{{ .containerPort }}" : local;
  const template = `{{ range .spec.containers }}{{ range .ports }}${port}:{{ .containerPort }} {{ end }}{{ end }}`;
  return withoutFiles(await templateWords(line, ["pod", pod], template));
};

/** The name of a pod; of other objects, that of their first pod. */
async function podOf(line: TypedLine, target: string): Promise<string> {
  const [type = "", name] = target.split("/");
  if (name === undefined) return target;
  if (["pod", "pods", "po"].includes(type)) return name;
  try {
    const text = await outputOf(line, ["get", target, "--output=json"]);
    const selector = podSelectorOf(JSON.parse(text) as DynamicObject);
    const [pod = ""] = await templateWords(
      line,
      ["pods", `--selector=${selector}`],
      "{{ range .items  }}{{ .metadata.name }} {{ end }}",
      "",
    );
    return pod;
  } catch {
    return "";
  }
}
