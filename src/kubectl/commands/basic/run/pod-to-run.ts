import type { Values } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { isEnvVarName } from "../../../../schema/values/names.ts";
import { parseLabelSpec } from "../../shared/label-spec.ts";
import { portNumber } from "../../shared/port-number.ts";
import type { runFlags } from "../run-command.ts";

/** What a user wants to run. */
export interface RunRequest {
  readonly name: string;
  /** The arguments after the name. */
  readonly args: readonly string[];
  readonly flags: Values<typeof runFlags>;
}

/** The pod of a request; throws for flags that make no sense. */
export function podToRun({ name, args, flags }: RunRequest): DynamicObject {
  if (name === "") throw new Error("Parameter: name is required");
  const env = flags.env.map(variable);
  const annotations = annotationsOf(flags.annotations);
  const labels = flags.labels === "" ? { run: name } : parseLabelSpec(flags.labels);
  const pull = flags["image-pull-policy"];
  const container = {
    name,
    image: flags.image,
    ...(args.length > 0 && { [flags.command ? "command" : "args"]: args }),
    ...(flags.port !== "" && { ports: [{ containerPort: portNumber(flags.port) }] }),
    ...(env.length > 0 && { env }),
    ...(pull !== "" && { imagePullPolicy: pull }),
    ...(flags.privileged && { securityContext: { privileged: true } }),
    ...(flags.stdin && { stdin: true }),
    ...(flags.stdin && !flags["leave-stdin-open"] && { stdinOnce: true }),
    ...(flags.tty && { tty: true }),
  };
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name, labels, annotations },
    spec: {
      containers: [container],
      restartPolicy: flags.restart || "Always",
      dnsPolicy: "ClusterFirst",
    },
  };
}

/** The service of the pod with `--expose`. */
export function serviceToRun({ name, flags }: RunRequest): DynamicObject {
  const port = portNumber(flags.port);
  const labels = flags.labels === "" ? undefined : parseLabelSpec(flags.labels);
  return {
    kind: "Service",
    apiVersion: "v1",
    metadata: { name, ...(labels && { labels }) },
    spec: {
      ports: [{ protocol: "TCP", port, targetPort: port }],
      selector: labels ?? { run: name },
    },
  };
}

function variable(text: string): object {
  const equals = text.indexOf("=");
  const name = text.slice(0, Math.max(0, equals));
  if (name === "" || isEnvVarName(name).length > 0) throw new Error(`invalid env: ${text}`);
  return { name, value: text.slice(equals + 1) };
}

function annotationsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  const wrong = texts.filter((text) => text.indexOf("=") <= 0);
  if (wrong.length > 0) throw new Error(`invalid annotations format: ${wrong.join(", ")}`);
  const pairs = texts.map((text) => {
    const equals = text.indexOf("=");
    return [text.slice(0, equals), text.slice(equals + 1)] as const;
  });
  return Object.fromEntries(pairs);
}
