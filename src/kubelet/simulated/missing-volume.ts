import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ReferenceReader } from "../pod/reference-reader.ts";

/** Why a volume of a pod cannot be mounted; undefined if all can. */
export async function missingVolume(
  { metadata: { namespace = "" }, spec }: Pod,
  read: ReferenceReader,
): Promise<string | undefined> {
  for (const volume of spec.volumes ?? [])
    for (const reference of referencesOf(volume)) {
      const problem = await problemWith(reference, namespace, read);
      if (problem) return `MountVolume.SetUp failed for volume "${volume.name}" : ${problem}`;
    }
  return undefined;
}

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** The objects that a volume refers to. The projected volume of the service account is always available. */
function referencesOf({ name, configMap, secret, projected }: Volume): readonly Reference[] {
  const own = [
    configMap && referenceTo("configMap", configMap),
    secret && referenceTo("secret", { ...secret, name: secret.secretName }),
  ];
  const sources = name.startsWith(accountVolume) ? [] : (projected?.sources ?? []);
  const parts = sources.flatMap((source) => [
    source.configMap && referenceTo("configMap", source.configMap),
    source.secret && referenceTo("secret", source.secret),
  ]);
  return [...own, ...parts].filter((one) => one !== undefined);
}

interface Given extends Pick<Reference, "optional" | "items"> {
  readonly name?: string | undefined;
}

const referenceTo = (of: Reference["of"], { name = "", optional, items }: Given): Reference => ({
  of,
  name,
  optional,
  items,
});

const accountVolume = "kube-api-access-";

interface Reference {
  readonly of: "configMap" | "secret";
  readonly name: string;
  readonly optional?: boolean | undefined;
  readonly items?: readonly { readonly key: string }[] | undefined;
}

async function problemWith(
  { of, name, optional, items = [] }: Reference,
  namespace: string,
  read: ReferenceReader,
): Promise<string | undefined> {
  if (optional) return undefined;
  const data = await (of === "secret"
    ? read.secretBytes({ namespace, name })
    : read.configMapBytes({ namespace, name }));
  if (!data) return `${of.toLowerCase()} "${name}" not found`;
  const missing = items.find(({ key }) => !Object.hasOwn(data, key));
  const what =
    of === "secret" ? "references non-existent secret" : "configmap references non-existent config";
  return missing && `${what} key: ${missing.key}`;
}
