import { Secret } from "../../api/core/v1/secret.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { decodeBase64, encodeBase64 } from "../../base/base64.ts";
import type { Clock } from "../../base/clock.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import type { Log } from "../../base/log.ts";
import { repeat } from "../../base/repeat.ts";
import type { Client } from "../../client/client.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { Informers } from "../../client/informer/informers.ts";
import type { KeyPair } from "../../platform/pki/pki.ts";
import {
  renewedServerCertificates,
  type ServerCertificates,
  type ServerNames,
} from "../../platform/pki/server-certificates.ts";

/** A secret in which several processes share the certificates of one server. */
export interface CertificateSecret {
  readonly namespace: string;
  readonly name: string;
}

export interface KeptCertificatesOptions {
  readonly names: ServerNames;
  readonly clock: Clock;
  readonly log: Log;
  /** Without it the certificates are in memory, and other processes have their own. */
  readonly shared?:
    | {
        readonly secret: CertificateSecret;
        readonly client: Client;
        readonly informers: Informers;
      }
    | undefined;
  /** Called when there are new certificates. */
  onChange(): void;
}

/** Certificates that are renewed until they are closed. */
export interface KeptCertificates {
  readonly current: {
    /** The authorities (PEM) to trust; undefined for those that every machine trusts. */
    readonly ca: string | undefined;
    readonly server: KeyPair;
  };
  close(): void;
}

/** Makes certificates, or takes those of the secret, and renews them before they expire. */
export async function keepCertificates(
  options: KeptCertificatesOptions,
): Promise<KeptCertificates> {
  const { names, clock, log, shared, onChange } = options;
  const renewed = (old: ServerCertificates | undefined): ServerCertificates =>
    renewedServerCertificates(old, names, new Date(clock.now()));
  const load = async (old?: ServerCertificates): Promise<ServerCertificates> =>
    shared ? loadShared(shared, renewed) : renewed(old);
  let current = await load();
  const refresh = coalesceCalls(async () => {
    try {
      const next = await load(current);
      if (isSame(next, current)) return;
      current = next;
      log.info("serving with new certificates");
      onChange();
    } catch (error) {
      log.error("certificates were not renewed", error);
    }
  });
  const timer = repeat(clock, checkMs, () => void refresh());
  const informer = shared?.informers.of(Secret, {
    namespace: shared.secret.namespace,
    fieldSelector: { "metadata.name": shared.secret.name },
  });
  informer?.addHandler({ updated: () => void refresh(), deleted: () => void refresh() });
  return {
    get current() {
      return { ca: current.ca.cert, server: current.server };
    },
    close() {
      timer.cancel();
      informer?.close();
    },
  };
}

/** How often certificates are looked at: they are renewed a month before they expire. */
const checkMs = 12 * 3_600_000;

/** How often another process may have been faster. */
const mostAttempts = 5;

const isSame = (a: ServerCertificates, b: ServerCertificates): boolean =>
  a.ca.cert === b.ca.cert && a.server.cert === b.server.cert && a.server.key === b.server.key;

/** The certificates of a secret, which is created or updated if they are missing or due. */
async function loadShared(
  { secret, client }: NonNullable<KeptCertificatesOptions["shared"]>,
  renewed: (old: ServerCertificates | undefined) => ServerCertificates,
): Promise<ServerCertificates> {
  for (let attempt = 1; ; attempt++) {
    const found = await ignoreNotFound(client.get(Secret, secret));
    const old = found && certificatesIn(found);
    const next = renewed(old);
    if (next === old) return next;
    try {
      if (found)
        await client.update(Secret, { ...found, data: { ...found.data, ...dataOf(next) } });
      else
        await client.create(Secret, {
          metadata: secret,
          type: "kubernetes.io/tls",
          data: dataOf(next),
        });
      return next;
    } catch (error) {
      const isLate = StatusError.is(error, "Conflict", "AlreadyExists");
      if (!isLate || attempt === mostAttempts) throw error;
    }
  }
}

const keys = {
  caCert: "ca.crt",
  caKey: "ca.key",
  serverCert: "tls.crt",
  serverKey: "tls.key",
} as const;

const dataOf = ({ ca, server }: ServerCertificates): Record<string, string> => ({
  [keys.caCert]: base64(ca.cert),
  [keys.caKey]: base64(ca.key),
  [keys.serverCert]: base64(server.cert),
  [keys.serverKey]: base64(server.key),
});

const certificatesIn = ({ data = {} }: Secret): ServerCertificates => {
  const text = (key: string): string => new TextDecoder().decode(decodeBase64(data[key] ?? ""));
  return {
    ca: { cert: text(keys.caCert), key: text(keys.caKey) },
    server: { cert: text(keys.serverCert), key: text(keys.serverKey) },
  };
};

const base64 = (text: string): string => encodeBase64(new TextEncoder().encode(text));
