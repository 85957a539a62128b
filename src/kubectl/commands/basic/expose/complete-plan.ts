import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import { labelSpec } from "../../shared/label-spec.ts";
import { goType } from "../../shared/pods/workload-pods.ts";
import { selectorToExpose } from "./selector-to-expose.ts";

/** What a service is made of; texts are empty where nothing is known. */
export interface ServicePlan {
  readonly name: string;
  readonly defaultName: string;
  readonly selector: string;
  readonly labels: string;
  /** The port that was given, or the only one of the exposed object. */
  readonly port: string;
  /** The ports of an object that has several. */
  readonly ports: string;
  readonly protocol: string;
  /** The protocols of each port of the exposed object. */
  readonly protocols: ReadonlyMap<string, readonly string[]>;
  readonly targetPort: string;
  readonly type: string;
  readonly clusterIp: string;
  readonly externalIp: string;
  readonly loadBalancerIp: string;
  readonly sessionAffinity: string;
}

/** Adds to a plan what the exposed object says. */
export function completePlan(before: ServicePlan, info: Info): ServicePlan {
  checkKind(info);
  const object = info.object as DynamicObject;
  const plan = {
    ...before,
    defaultName: info.name.slice(0, 63),
    selector: before.selector || selectorToExpose(object),
  };
  const ports = portsOf(object);
  const numbers = [...new Set(ports.map(({ port }) => port))];
  if (before.port === "" && numbers.length === 0 && before.clusterIp !== "None")
    throw new Error("couldn't find port via --port flag or introspection");
  const [only = "", ...others] = before.port === "" ? numbers : [];
  const protocols = new Map<string, string[]>();
  for (const { port, protocol } of ports)
    protocols.set(port, [...(protocols.get(port) ?? []), protocol]);
  return {
    ...plan,
    ...(only !== "" && (others.length === 0 ? { port: only } : { ports: numbers.join(",") })),
    ...(protocols.size > 0 && { protocols }),
    labels: before.labels || labelSpec(object.metadata.labels),
  };
}

const exposable: ReadonlySet<string> = new Set([
  "ReplicationController",
  "Service",
  "Pod",
  "Deployment.apps",
  "ReplicaSet.apps",
]);

function checkKind(info: Info): void {
  const { kind, group } = kindOf(info);
  const name = group === "" ? kind : `${kind}.${group}`;
  if (!exposable.has(name)) throw new Error(`cannot expose a ${name}`);
}

type PodSpec = NonNullable<Pod["spec"]>;

interface ExposedPort {
  readonly port: string;
  readonly protocol: string;
}

/** The ports of an object's containers, or of a service. */
function portsOf(object: DynamicObject): readonly ExposedPort[] {
  const { spec } = object as { readonly spec?: ExposedSpec };
  switch (object.kind) {
    case "Service":
      return (spec?.ports ?? []).map(({ port = 0, protocol }) => exposedPort(port, protocol));
    case "Pod":
      return containerPorts(spec);
    case "ReplicationController":
    case "Deployment":
    case "ReplicaSet":
      return containerPorts(spec?.template?.spec);
    default:
      throw new Error(
        `couldn't find port via --port flag or introspection: cannot extract ports from ${goType(object)}`,
      );
  }
}

interface ExposedSpec extends PodSpec {
  readonly ports?: readonly { readonly port?: number; readonly protocol?: string }[];
  readonly template?: { readonly spec?: PodSpec };
}

const containerPorts = (spec: PodSpec | undefined): readonly ExposedPort[] =>
  (spec?.containers ?? [])
    .flatMap(({ ports }) => ports ?? [])
    .map(({ containerPort = 0, protocol }) => exposedPort(containerPort, protocol));

const exposedPort = (port: number, protocol: string | undefined): ExposedPort => ({
  port: String(port),
  protocol: protocol || "TCP",
});
