import { createHash, randomUUID } from "node:crypto";
import { decodeBase64 } from "../../base/base64.ts";
import { nodeCiphers } from "../../platform/node-ciphers.ts";
import { realClock } from "../../platform/real-clock.ts";
import { parseDuration } from "../../schema/values/duration.ts";
import {
  cbcTransformer,
  gcmTransformer,
  secretboxTransformer,
} from "../../store/encryption/key-transformers.ts";
import { KmsProvider } from "../../store/encryption/kms-provider.ts";
import {
  identity,
  type Prefixed,
  prefixTransformer,
  type Transformer,
} from "../../store/encryption/transformer.ts";
import {
  type EncryptionConfiguration,
  type Key,
  type KmsConfiguration,
  type Provider,
  parseGroupResource,
} from "./encryption-configuration.ts";
import type { EncryptionMetrics } from "./encryption-metrics.ts";
import { openKmsService } from "./kms-service.ts";

/** A resource, as its group and plural. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** The transformers of a configuration, and the services that they use. */
export interface BuiltEncryption {
  /** Undefined for resources that the configuration does not name. */
  transformerOf(resource: GroupResource): Transformer | undefined;
  readonly kms: readonly KmsProvider[];
  close(): void;
}

/** Makes transformers of a valid configuration; throws where its entries hide each other. */
export async function buildEncryption(
  { resources = [] }: EncryptionConfiguration,
  {
    own,
    metrics,
    waits,
  }: {
    /** Reads, after all others, what was encrypted with the key of the data directory. */
    readonly own: Prefixed | undefined;
    readonly metrics?: EncryptionMetrics | undefined;
    /** Whether reads wait for services that cannot be reached. */
    readonly waits: boolean;
  },
): Promise<BuiltEncryption> {
  const kms: KmsProvider[] = [];
  const lists = new Map<string, Prefixed[]>();
  const close = (): void => {
    for (const one of kms) one.close();
  };
  try {
    for (const { resources: names = [], providers = [] } of resources) {
      const prefixed = providers.map((provider) => prefixedBy(provider, kms, { waits, metrics }));
      for (const name of names) {
        const { group, resource } = parseGroupResource(name);
        for (const wider of [`*.${group}`, "*.*"])
          if (lists.has(wider))
            throw new Error(
              `resource ${JSON.stringify(shown({ group, resource }))} is masked by earlier rule ${JSON.stringify(wider)}`,
            );
        const key = `${resource}.${group}`;
        lists.set(key, [...(lists.get(key) ?? []), ...prefixed]);
      }
    }
    await Promise.all(kms.map((one) => one.start()));
  } catch (error) {
    close();
    throw error;
  }
  const made = new Map<string, Transformer | undefined>();
  const make = ({ group, resource }: GroupResource): Transformer | undefined => {
    const list = lists.get(`${resource}.${group}`) ?? lists.get(`*.${group}`) ?? lists.get("*.*");
    const isSecret = group === "" && resource === "secrets";
    const also = isSecret && own ? [own] : [];
    if (!list && also.length === 0) return undefined;
    const all = [...(list ?? [{ prefix: "", transformer: identity }]), ...also];
    return prefixTransformer(
      all,
      "no matching prefix found",
      metrics?.transforming(shown({ group, resource })),
    );
  };
  return {
    transformerOf(resource) {
      const key = `${resource.resource}.${resource.group}`;
      if (!made.has(key)) made.set(key, make(resource));
      return made.get(key);
    },
    kms,
    close,
  };
}

const shown = ({ group, resource }: GroupResource): string =>
  group === "" ? (resource === "*" ? "*." : resource) : `${resource}.${group}`;

interface KmsOptions {
  readonly waits: boolean;
  readonly metrics: EncryptionMetrics | undefined;
}

function prefixedBy(provider: Provider, kms: KmsProvider[], options: KmsOptions): Prefixed {
  const { aesgcm, aescbc, secretbox } = provider;
  if (aesgcm) return keyed("aesgcm", "AES", { keys: aesgcm.keys, make: gcmTransformer });
  if (aescbc) return keyed("aescbc", "AES", { keys: aescbc.keys, make: cbcTransformer });
  if (secretbox)
    return keyed("secretbox", "Secretbox", { keys: secretbox.keys, make: secretboxTransformer });
  if (provider.kms) {
    const one = kmsProvider(provider.kms, options);
    kms.push(one);
    return { prefix: `k8s:enc:kms:v2:${provider.kms.name}:`, transformer: one };
  }
  return { prefix: "", transformer: identity };
}

function keyed(
  name: string,
  shownName: string,
  {
    keys = [],
    make,
  }: {
    readonly keys: readonly Key[] | undefined;
    readonly make: (ciphers: typeof nodeCiphers, key: Uint8Array) => Transformer;
  },
): Prefixed {
  const each = keys.map((key) => ({
    prefix: `${key.name}:`,
    transformer: make(nodeCiphers, decodeBase64((key.secret ?? "").replaceAll(/[\r\n]/g, ""))),
  }));
  const noKey = `no matching key was found for the provided ${shownName} transformer`;
  return { prefix: `k8s:enc:${name}:v1:`, transformer: prefixTransformer(each, noKey) };
}

/** The prefix and transformer of a single key for AES-GCM. */
export const ownKey = (name: string, key: Uint8Array): Prefixed => ({
  prefix: `k8s:enc:aesgcm:v1:${name}:`,
  transformer: gcmTransformer(nodeCiphers, key),
});

function kmsProvider(
  { name = "", apiVersion, endpoint = "", timeout }: KmsConfiguration,
  { waits, metrics }: KmsOptions,
): KmsProvider {
  if (apiVersion !== "v2") throw new Error(firstVersion);
  const ms = Number(parseDuration(timeout ?? "3s")) / 1e6;
  return new KmsProvider({
    name,
    service: openKmsService(endpoint, {
      timeoutMs: ms,
      measured: metrics && ((path, call) => metrics.called(name, path, call)),
    }),
    observer: metrics?.observer(name),
    clock: realClock,
    ciphers: nodeCiphers,
    uuid: randomUUID,
    waits,
    sha256: (text) => createHash("sha256").update(text).digest(),
  });
}

const firstVersion =
  "KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.";
