import { dialMessage } from "../../platform/dial-message.ts";
import {
  type EtcdStore,
  type EtcdStoreOptions,
  openEtcdStore,
} from "../../store/etcd/etcd-store.ts";
import { StoreError } from "../../store/store.ts";

/** Opens the store in an etcd that flags name, and says which flag is wrong where TLS fails. */
export async function openEtcd(options: EtcdStoreOptions): Promise<EtcdStore> {
  try {
    return await openEtcdStore(options);
  } catch (error) {
    const why = tlsFault(options.endpoints, error);
    if (why === undefined) throw error;
    throw new StoreError("Unavailable", `cannot reach etcd at ${options.endpoints}: ${why}`);
  }
}

/** What went wrong with TLS, in Go's words, and what to do about it. */
function tlsFault(endpoints: readonly string[], error: unknown): string | undefined {
  const [, host, port] = /^https:\/\/(.*?)(?::(\d+))?\/?$/.exec(endpoints[0] ?? "") ?? [];
  if (host === undefined) return undefined;
  const message = dialMessage({ host, port: Number(port ?? 443), tls: {} }, rootCause(error));
  const advice = advices.find(([pattern]) => pattern.test(message))?.[1];
  return advice && `${message}: ${advice}`;
}

const advices: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/unknown authority/, "name the authority of its certificate with --etcd-cafile"],
  [/^tls: failed to verify/, "name it in --etcd-servers as its certificate does"],
  [
    /^remote error: tls: .*certificate/,
    "it wants a certificate of a client whose authority it trusts: give one with --etcd-certfile and --etcd-keyfile",
  ],
  [
    /^EOF$|HTTP response to HTTPS client/,
    "if it speaks no TLS, name it with http:// in --etcd-servers",
  ],
];

function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return cause;
}
