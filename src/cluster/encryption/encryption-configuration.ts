import { decodeBase64 } from "../../base/base64.ts";
import { duration, int32, list, message, string, strings } from "../../schema/language/field.ts";
import { At } from "../../schema/language/report.ts";
import { type Infer, struct } from "../../schema/language/struct.ts";

const Key = struct("io.k8s.apiserver.config.v1.Key", {
  name: string(1).always().expected().doc("The name of the key, which is stored with each value."),
  secret: string(2).always().expected().doc("The key in base64."),
}).doc("A key.");
export interface Key extends Infer<typeof Key> {}

const keys = struct("io.k8s.apiserver.config.v1.AESConfiguration", {
  keys: list(1, Key).expected().doc("The keys; new values are encrypted with the first."),
}).doc("Keys.");

const KmsConfiguration = struct("io.k8s.apiserver.config.v1.KMSConfiguration", {
  apiVersion: string(1).doc("v2; version 1 is not supported any more."),
  name: string(2).always().expected().doc("The name of the service."),
  cachesize: int32(3).pointer().doc("Only for version 1."),
  endpoint: string(4).always().expected().doc("unix:///PATH, where the service listens."),
  timeout: duration(5).pointer().doc("How long a call may take; 3s if absent."),
}).doc("A key management service.");
export interface KmsConfiguration extends Infer<typeof KmsConfiguration> {}

const Provider = struct("io.k8s.apiserver.config.v1.ProviderConfiguration", {
  aesgcm: message(1, keys).doc("AES-GCM."),
  aescbc: message(2, keys).doc("AES-CBC."),
  secretbox: message(3, keys).doc("XSalsa20 with Poly1305."),
  identity: message(
    4,
    struct("io.k8s.apiserver.config.v1.IdentityConfiguration", {}).doc("Nothing."),
  ).doc("Values are stored as they are."),
  kms: message(5, KmsConfiguration).doc("Envelope encryption by a key management service."),
}).doc("One way to store values.");
export interface Provider extends Infer<typeof Provider> {}

const Resources = struct("io.k8s.apiserver.config.v1.ResourceConfiguration", {
  resources: strings(1).expected().doc("Such as secrets, widgets.example.com, *. or *.*"),
  providers: list(2, Provider)
    .expected()
    .doc("The ways to store them: the first for new values, all for reading."),
}).doc("How some resources are stored.");

/** How the values of resources are stored. */
export const EncryptionConfiguration = struct(
  "io.k8s.apiserver.config.v1.EncryptionConfiguration",
  {
    kind: string(101).doc("EncryptionConfiguration"),
    apiVersion: string(102).doc("apiserver.config.k8s.io/v1"),
    resources: list(1, Resources).expected().doc("The resources; the first entry counts."),
  },
).doc("How the values of resources are stored.");
export interface EncryptionConfiguration extends Infer<typeof EncryptionConfiguration> {}

/** A resource as configurations name it. */
export function parseGroupResource(text: string): {
  readonly group: string;
  readonly resource: string;
} {
  const dot = text.indexOf(".");
  return dot < 0
    ? { group: "", resource: text }
    : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

/** What is wrong with a configuration, in upstream's words, which hold no key. */
export function encryptionFaults(
  { resources = [] }: EncryptionConfiguration,
  reloads: boolean,
): string[] {
  const at = At.root().child("resources");
  if (resources.length === 0) at.required("", "at least one resources is required");
  const kmsNames = new Set<string>();
  for (const [i, { resources: names = [], providers = [] }] of resources.entries()) {
    const here = at.index(i);
    const inNames = here.child("resources");
    if (names.length === 0) inNames.required("", `at least one ${inNames.path} is required`);
    checkOverlap(names, inNames);
    for (const [j, name] of names.entries()) {
      const fault = resourceFault(name);
      if (fault !== undefined) inNames.index(j).invalid("", name, fault);
    }
    const inProviders = here.child("providers");
    if (providers.length === 0)
      inProviders.required("", `at least one ${inProviders.path} is required`);
    for (const [j, provider] of providers.entries())
      checkProvider(provider, inProviders.index(j), { kmsNames, reloads });
  }
  return at.errors.map(({ field, message: text }) => `${field}: ${text}`);
}

function checkOverlap(names: readonly string[], at: At): void {
  const parsed = names.map(parseGroupResource);
  const isDuplicate = new Set(names).size < names.length;
  const overlaps = parsed.some((a, i) =>
    parsed.some((b, j) => {
      if (i === j || (a.group === b.group && a.resource === b.resource && !isDuplicate))
        return false;
      if (a.group === "*" && a.resource === "*") return names[i] !== names[j];
      return (
        a.group === b.group &&
        names[i] !== names[j] &&
        [a, b].some(({ resource }) => resource === "*")
      );
    }),
  );
  if (isDuplicate) at.invalid("", names, "the same resource cannot be specified multiple times");
  if (overlaps)
    at.invalid(
      "",
      names,
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
    );
}

const internalResources = ["apiserveripinfo", "serviceipallocations", "servicenodeportallocations"];

function resourceFault(name: string): string | undefined {
  if (name.toLowerCase() !== name) return "resource name should not contain capital letters";
  if (name === "*")
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (internalResources.includes(name))
    return "resources which do not have REST API/s cannot be encrypted";
  const { group, resource } = parseGroupResource(name);
  if (group === "events.k8s.io")
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === "extensions")
    return "'extensions' group has been removed and cannot be used for encryption";
  if (group === "*" && resource !== "*")
    return "encrypting the same resource across groups is not supported";
  return undefined;
}

const aesSizes = [16, 24, 32];
const boxSizes = [32];

function checkProvider(
  provider: Provider,
  at: At,
  names: { readonly kmsNames: Set<string>; readonly reloads: boolean },
): void {
  const { aesgcm, aescbc, secretbox, identity, kms } = provider;
  const found = [kms, aesgcm, aescbc, secretbox, identity].filter((one) => one !== undefined);
  if (found.length === 0)
    at.invalid(
      "",
      noProvider,
      "provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity",
    );
  if (found.length > 1)
    at.invalid(
      "",
      "REDACTED",
      "more than one provider specified in a single element, should split into different list elements",
    );
  if (kms) {
    checkKms(kms, at.child("kms"), names);
    names.kmsNames.add(kms.name ?? "");
  } else if (aesgcm) checkKeys(aesgcm.keys, at.child("aesgcm").child("keys"), aesSizes);
  else if (aescbc) checkKeys(aescbc.keys, at.child("aescbc").child("keys"), aesSizes);
  else if (secretbox) checkKeys(secretbox.keys, at.child("secretbox").child("keys"), boxSizes);
}

/** As Go writes the empty value. */
const noProvider = { AESGCM: null, AESCBC: null, Secretbox: null, Identity: null, KMS: null };

function checkKeys(given: readonly Key[] = [], at: At, sizes: readonly number[]): void {
  if (given.length === 0) at.required("", "at least one keys is required");
  for (const [i, { name, secret }] of given.entries()) {
    const here = at.index(i);
    if (!name) here.required("name", "name is a mandatory field for a key");
    if (!secret) {
      here.required("secret", "secret is a mandatory field for a key");
      continue;
    }
    const size = keySize(secret);
    if (size === undefined) here.invalid("secret", "REDACTED", "secrets must be base64 encoded");
    else if (!sizes.includes(size))
      here.invalid(
        "secret",
        "REDACTED",
        `secret is not of the expected length, got ${size}, expected one of [${sizes.join(" ")}]`,
      );
  }
}

function keySize(secret: string): number | undefined {
  const text = secret.replaceAll(/[\r\n]/g, "");
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
  return isBase64 ? decodeBase64(text).length : undefined;
}

function checkKms(
  kms: KmsConfiguration,
  at: At,
  { kmsNames, reloads }: { readonly kmsNames: ReadonlySet<string>; readonly reloads: boolean },
): void {
  const { name = "", apiVersion = "v1", cachesize, endpoint = "", timeout } = kms;
  const isFirst = apiVersion === "v1";
  if (name === "") at.required("name", "name is a mandatory field for a provider");
  if (!isFirst && name.includes(":"))
    at.invalid("name", name, `invalid KMS provider name ${name}, must not contain ':'`);
  if ((reloads || !isFirst) && kmsNames.has(name))
    at.invalid("name", name, `duplicate KMS provider name ${name}, names must be unique`);
  if (timeout !== undefined && /^(-|0(s|$))/.test(timeout))
    at.invalid("timeout", timeout, "timeout should be a positive value");
  if (endpoint === "") at.invalid("endpoint", "", "endpoint is a mandatory field for a kms");
  else if (!endpoint.startsWith("unix:"))
    at.invalid(
      "endpoint",
      endpoint,
      `unsupported scheme ${JSON.stringify(/^([a-z][a-z0-9+.-]*):/i.exec(endpoint)?.[1] ?? "")} for KMS provider, only unix is supported`,
    );
  if (!isFirst && cachesize !== undefined)
    at.invalid("cachesize", cachesize, "cachesize is not supported in v2");
  if (isFirst && cachesize === 0)
    at.invalid(
      "cachesize",
      cachesize,
      "cachesize should be a positive value, or negative to disable",
    );
  if (apiVersion !== "v1" && apiVersion !== "v2")
    at.invalid(
      "apiVersion",
      apiVersion,
      "unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported",
    );
}
