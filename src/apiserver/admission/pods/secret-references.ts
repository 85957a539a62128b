import { podSecretNames } from "../../../api/core/v1/pod/pod-references.ts";
import type { PodSpec } from "../../../api/core/v1/pod/pod-spec.ts";
import type { ServiceAccount } from "../../../api/core/v1/service-account.ts";

const annotation = "kubernetes.io/enforce-mountable-secrets";
const truths = ["1", "t", "T", "TRUE", "true", "True"];

/** Whether pods of an account may use only the secrets that it lists. */
export const limitsSecrets = ({ metadata }: ServiceAccount): boolean =>
  truths.includes(metadata.annotations?.[annotation] ?? "");

/** The error for a new pod that uses a secret which its service account does not list. */
export function unlistedSecret(spec: PodSpec, account: ServiceAccount): string | undefined {
  const references = [
    ...(spec.volumes ?? []).flatMap(({ secret }) =>
      secret ? [{ what: "volume with", secret: secret.secretName }] : [],
    ),
    ...inContainers("init container", spec.initContainers),
    ...inContainers("container", spec.containers ?? []),
  ];
  return firstUnlisted(references, account) ?? unlistedPullSecret(spec, account);
}

/** The same for containers that are added to a pod to debug it. */
export const unlistedEphemeralSecret = (
  { ephemeralContainers }: PodSpec,
  account: ServiceAccount,
): string | undefined =>
  firstUnlisted(inContainers("ephemeral container", ephemeralContainers), account);

/** Whether a pod uses any secret. */
export const usesSecrets = (spec: PodSpec): boolean => podSecretNames(spec).length > 0;

interface Reference {
  /** The place in the pod with which messages begin. */
  readonly what: string;
  readonly secret: string | undefined;
}
type Containers = readonly Pick<
  NonNullable<PodSpec["containers"]>[number],
  "name" | "env" | "envFrom"
>[];

const inContainers = (kind: string, containers: Containers = []): readonly Reference[] =>
  containers.flatMap(({ name, env = [], envFrom = [] }) => [
    ...env.flatMap((variable) => {
      const reference = variable.valueFrom?.secretKeyRef;
      const what = `${kind} ${name} with envVar ${variable.name} referencing`;
      return reference ? [{ what, secret: reference.name }] : [];
    }),
    ...envFrom.flatMap(({ secretRef }) =>
      secretRef
        ? [{ what: `${kind} ${name} with envFrom referencing`, secret: secretRef.name }]
        : [],
    ),
  ]);

function firstUnlisted(
  references: readonly Reference[],
  { metadata, secrets = [] }: ServiceAccount,
): string | undefined {
  const found = references.find(
    ({ secret = "" }) => !secrets.some(({ name = "" }) => name === secret),
  );
  return (
    found &&
    `${found.what} secret.secretName="${found.secret ?? ""}" is not allowed because service account ${metadata.name} does not reference that secret`
  );
}

function unlistedPullSecret(
  spec: PodSpec,
  { metadata, imagePullSecrets = [] }: ServiceAccount,
): string | undefined {
  const own = spec.imagePullSecrets ?? [];
  const index = own.findIndex(
    ({ name = "" }) => !imagePullSecrets.some((listed) => (listed.name ?? "") === name),
  );
  return index < 0
    ? undefined
    : `imagePullSecrets[${index}].name="${own[index]?.name ?? ""}" is not allowed because service account ${metadata.name} does not reference that imagePullSecret`;
}
