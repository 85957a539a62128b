import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { EnvVar } from "../../../cri/runtime-types.ts";
import type { Data, ReferenceReader } from "../reference-reader.ts";

/** Thrown if the environment refers to something that does not exist. */
class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

/** The environment of a container, with all references resolved. Throws an `EnvironmentError`. */
export async function containerEnvironment(
  pod: Pod,
  { env = [], envFrom = [] }: Container | EphemeralContainer,
  read: ReferenceReader,
): Promise<readonly EnvVar[]> {
  const values = new Map<string, string>();
  const { namespace } = pod.metadata;
  for (const { prefix = "", configMapRef, secretRef } of envFrom) {
    const reference = configMapRef ?? secretRef;
    if (!reference) continue;
    const of = configMapRef ? "configMap" : "secret";
    const { name = "", optional } = reference;
    const data = await held(read, { of, namespace, name, optional });
    for (const [key, value] of Object.entries(data ?? {})) values.set(`${prefix}${key}`, value);
  }
  for (const { name, value = "", valueFrom } of env) {
    if (!valueFrom) {
      values.set(name, expand(value, values));
      continue;
    }
    const found = await referredValue(pod, valueFrom, read);
    if (found !== undefined) values.set(name, found);
  }
  return [...values].map(([name, value]) => ({ name, value }));
}

/** Expands `$(NAME)` in a text; `$$` is a dollar. */
export const expand = (text: string, values: Pick<ReadonlyMap<string, string>, "get">): string =>
  text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (whole, name: string | undefined) =>
    name === undefined ? "$" : (values.get(name) ?? whole),
  );

type ValueFrom = NonNullable<NonNullable<Container["env"]>[number]["valueFrom"]>;

async function referredValue(
  pod: Pod,
  { fieldRef, configMapKeyRef, secretKeyRef }: ValueFrom,
  read: ReferenceReader,
): Promise<string | undefined> {
  if (fieldRef) return fieldOf(pod, fieldRef.fieldPath);
  const reference = configMapKeyRef ?? secretKeyRef;
  if (!reference) return undefined;
  const of = configMapKeyRef ? "configMap" : "secret";
  const { name = "", key, optional } = reference;
  const { namespace } = pod.metadata;
  const data = await held(read, { of, namespace, name, optional });
  if (data && Object.hasOwn(data, key)) return data[key];
  if (optional) return undefined;
  const kind = of === "secret" ? "Secret" : "ConfigMap";
  throw new EnvironmentError(`couldn't find key ${key} in ${kind} ${namespace}/${name}`);
}

async function held(
  read: ReferenceReader,
  {
    of,
    namespace,
    name,
    optional,
  }: {
    readonly of: "configMap" | "secret";
    readonly namespace: string | undefined;
    readonly name: string;
    readonly optional: boolean | undefined;
  },
): Promise<Data | undefined> {
  const data = await read[of]({ namespace, name });
  if (!data && !optional) throw new EnvironmentError(`${of.toLowerCase()} "${name}" not found`);
  return data;
}

/** The value of a field reference to the pod; undefined if the field is unknown. */
function fieldOf({ metadata, spec, status }: Pod, path: string | undefined): string | undefined {
  const [, list, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path ?? "") ?? [];
  if (list !== undefined && key !== undefined)
    return metadata[list as "labels" | "annotations"]?.[key] ?? "";
  switch (path) {
    case "metadata.name":
      return metadata.name;
    case "metadata.namespace":
      return metadata.namespace;
    case "metadata.uid":
      return metadata.uid;
    case "spec.nodeName":
      return spec.nodeName;
    case "spec.serviceAccountName":
      return spec.serviceAccountName;
    case "status.hostIP":
      return status.hostIP;
    case "status.podIP":
      return status.podIP;
    case "status.podIPs":
      return status.podIPs?.map(({ ip }) => ip).join(",");
  }
  return undefined;
}
