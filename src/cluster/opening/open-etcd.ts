import { dialMessage } from "../../platform/dial-message.ts";
import {
  type EtcdStore,
  type EtcdStoreOptions,
  openEtcdStore,
} from "../../store/etcd/etcd-store.ts";
import { StoreError } from "../../store/store.ts";

/** Opens the store in the etcd of the flags; errors of TLS name the flag to change. */
export async function openEtcd(options: EtcdStoreOptions): Promise<EtcdStore> {
  try {
    return await openEtcdStore(options);
  } catch (error) {
    const why = tlsFault(options.endpoints, error);
    if (why === undefined) throw error;
    throw new StoreError("Unavailable", `cannot reach etcd at ${options.endpoints}: ${why}`);
  }
}

/** The error of TLS in Go's words, with a remedy. */
function tlsFault(endpoints: readonly string[], error: unknown): string | undefined {
  const [, host, port] = /^https:\/\/(.*?)(?::(\d+))?\/?$/.exec(endpoints[0] ?? "") ?? [];
  if (host === undefined) return undefined;
  const message = dialMessage({ host, port: Number(port ?? 443), tls: {} }, rootCause(error));
  const advice = advices.find(([pattern]) => pattern.test(message))?.[1];
  return advice && `${message}: ${advice}`;
}

const advices: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/unknown authority/, "give its CA certificate with --etcd-cafile"],
  [/^tls: failed to verify/, "use a name of its certificate in --etcd-servers"],
  [
    /^remote error: tls: .*certificate/,
    "it requires a client certificate of a CA that it trusts: give one with --etcd-certfile and --etcd-keyfile",
  ],
  [
    /^EOF$|HTTP response to HTTPS client/,
    "if it does not use TLS, begin its URL in --etcd-servers with http://",
  ],
];

function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return cause;
}
