import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EnvVarSource } from "../../../api/core/v1/container/env.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { ResourceList } from "../../../api/core/v1/resource-list.ts";
import type { EnvVar } from "../../../cri/runtime-types.ts";
import { quote } from "../../../schema/values/quote.ts";
import { podField } from "../pod-field.ts";
import type { VolumeFile } from "../pod-host.ts";
import type { Data, ReferenceReader } from "../reference-reader.ts";
import { resourceField } from "../resource-field.ts";
import { isStaticPod } from "../static-pod.ts";
import { envFileValue } from "./env-file.ts";
import { type ServiceLister, serviceVariables } from "./service-variables.ts";

/** What the variables of a container can show. */
export interface EnvironmentSources {
  readonly references: ReferenceReader;
  /** Absent if containers do not learn of services. */
  readonly services?: ServiceLister | undefined;
  readonly hostIPs: readonly string[];
  /** What the node allows pods: the limits of containers without limits. */
  readonly allocatable: ResourceList;
  /** A file in a volume of the pod; absent if its volumes have no files. */
  readonly volumeFile?:
    | ((volume: string, path: string) => Promise<VolumeFile | undefined>)
    | undefined;
}

/**
 * The environment of a container: its variables in their order, then those of services. Throws if one refers to
 * something that does not exist. The pod has its addresses.
 */
export async function containerEnvironment(
  pod: Pod,
  container: Container | EphemeralContainer,
  sources: EnvironmentSources,
): Promise<readonly EnvVar[]> {
  const ofServices = servicesFor(pod, sources.services);
  const values = await variablesFrom(pod, container, sources.references);
  const known = { get: (name: string) => values.get(name) ?? ofServices.get(name) };
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (value || !valueFrom) values.set(name, expand(value ?? "", known));
    else {
      const found = await referredValue(valueFrom, { pod, container, sources });
      if (found !== undefined) values.set(name, found);
    }
  }
  for (const [name, value] of ofServices) if (!values.has(name)) values.set(name, value);
  return [...values].map(([name, value]) => ({ name, value }));
}

/** Expands `$(NAME)` in a text; `$$` is a dollar. */
export const expand = (text: string, values: Pick<ReadonlyMap<string, string>, "get">): string =>
  text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (whole, name: string | undefined) =>
    name === undefined ? "$" : (values.get(name) ?? whole),
  );

function servicesFor(pod: Pod, services: ServiceLister | undefined): ReadonlyMap<string, string> {
  if (!services) return new Map();
  if (!(services.hasSynced || isStaticPod(pod)))
    throw new Error("services have not yet been read at least once, cannot construct envvars");
  const { namespace = "" } = pod.metadata;
  const variables = serviceVariables(services, namespace, pod.spec.enableServiceLinks ?? true);
  return new Map(variables.map(({ name, value }) => [name, value]));
}

/** The variables of whole config maps and secrets. */
async function variablesFrom(
  pod: Pod,
  { envFrom = [] }: Container | EphemeralContainer,
  references: ReferenceReader,
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const { prefix = "", configMapRef, secretRef } of envFrom) {
    const data = await dataOf(pod, references, { configMapRef, secretRef });
    for (const [key, value] of Object.entries(data ?? {})) values.set(`${prefix}${key}`, value);
  }
  return values;
}

interface ValueRequest {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly sources: EnvironmentSources;
}

/** The value of a variable that refers to something else; undefined if that is optional and does not exist. */
async function referredValue(
  from: EnvVarSource,
  request: ValueRequest,
): Promise<string | undefined> {
  const { pod, sources } = request;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = from;
  if (fieldRef) return fieldOf(pod, fieldRef.fieldPath, sources.hostIPs);
  if (resourceFieldRef) return resourceOf(resourceFieldRef, request);
  if (fileKeyRef) return fileValue(fileKeyRef, sources);
  const reference = configMapKeyRef ?? secretKeyRef;
  if (!reference) return "";
  const { name, key, optional } = reference;
  const data = await dataOf(pod, sources.references, {
    ...{ configMapRef: configMapKeyRef, secretRef: secretKeyRef },
  });
  if (data && Object.hasOwn(data, key)) return data[key];
  if (optional) return undefined;
  const kind = configMapKeyRef ? "ConfigMap" : "Secret";
  throw new Error(`couldn't find key ${key} in ${kind} ${pod.metadata.namespace}/${name}`);
}

interface Reference {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
}

/** The data of a config map or a secret; undefined if it is optional and does not exist. */
async function dataOf(
  { metadata: { namespace } }: Pod,
  references: ReferenceReader,
  {
    configMapRef,
    secretRef,
  }: {
    readonly configMapRef?: Reference | undefined;
    readonly secretRef?: Reference | undefined;
  },
): Promise<Data | undefined> {
  const { name = "", optional } = configMapRef ?? secretRef ?? { optional: true };
  const data = await (configMapRef
    ? references.configMap({ namespace, name })
    : references.secret({ namespace, name }));
  if (!data && !optional)
    throw new Error(`${configMapRef ? "configmap" : "secret"} ${quote(name)} not found`);
  return data;
}

function fieldOf(pod: Pod, path: string, hostIPs: readonly string[]): string {
  const { spec, status } = pod;
  const podIPs = (status.podIPs ?? []).map(({ ip }) => ip ?? "");
  const fields: Readonly<Record<string, string | undefined>> = {
    "spec.nodeName": spec.nodeName ?? "",
    "spec.host": spec.nodeName ?? "",
    "spec.serviceAccountName": spec.serviceAccountName ?? "",
    "status.hostIP": hostIPs[0] ?? "",
    "status.hostIPs": hostIPs.join(","),
    "status.podIP": podIPs[0] ?? status.podIP ?? "",
    "status.podIPs": podIPs.join(","),
  };
  return fields[path] ?? podField(pod, path);
}

/** Limits of the pod as a whole precede what the node allows; other init containers have only their own. */
function resourceOf(
  { containerName, resource, divisor }: NonNullable<EnvVarSource["resourceFieldRef"]>,
  { pod, container, sources }: ValueRequest,
): string {
  const { initContainers = [], resources } = pod.spec;
  const isOtherInit = containerName && initContainers.some(({ name }) => name === containerName);
  const whole = Object.entries(resources?.limits ?? {}).filter(
    ([name]) => name === "cpu" || name === "memory",
  );
  return resourceField(
    { resource, divisor },
    {
      pod,
      containerName: containerName || container.name,
      allocatable: isOtherInit ? {} : { ...sources.allocatable, ...Object.fromEntries(whole) },
    },
  );
}

async function fileValue(
  { volumeName, path, key, optional }: NonNullable<EnvVarSource["fileKeyRef"]>,
  { volumeFile }: EnvironmentSources,
): Promise<string | undefined> {
  if (!volumeFile) return undefined;
  const file = await volumeFile(volumeName, path);
  if (!file)
    throw new Error(`cannot find the volume ${quote(volumeName)} referenced by FileKeyRef`);
  let value: string;
  try {
    value = envFileValue(await file.text(), key);
  } catch {
    // The reason could show the content of the file.
    throw new Error("couldn't parse env file");
  }
  if (value !== "") return value;
  if (optional) return undefined;
  throw new Error(`environment variable key ${quote(key)} not found in file ${quote(file.path)}`);
}
