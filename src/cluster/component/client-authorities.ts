import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import { createInformers } from "../../client/informer/informers.ts";
import { systemRandom } from "../../platform/system-entropy.ts";

export interface ClientAuthoritiesOptions {
  readonly client: Client;
  readonly log: Log;
  /** Whether to continue without them if the API server cannot be reached. */
  readonly tolerates: boolean;
  /** Called after they changed. */
  onChange(pem: string): void;
}

/** The CA certificates for clients that the API server publishes; watched until closed. */
export interface ClientAuthorities {
  readonly pem: string;
  close(): void;
}

const key = { namespace: "kube-system", name: "extension-apiserver-authentication" };

/** Reads the CA certificates for clients from the API server, and watches them. */
export async function clientAuthorities(
  options: ClientAuthoritiesOptions,
): Promise<ClientAuthorities> {
  const { client, log, tolerates, onChange } = options;
  let pem = await client.get(ConfigMap, key).then(authoritiesIn, (cause: unknown) => {
    const error = errorMessage(cause);
    if (!tolerates)
      throw new Error(
        `unable to load configmap based client CA file: ${error}: start without it with --authentication-tolerate-lookup-failure`,
        { cause },
      );
    log.warn("client certificates are not accepted: their CA is unknown", {
      error,
    });
    return "";
  });
  const informers = createInformers({ client, clock: client.clock, random: systemRandom, log });
  const informer = informers.of(ConfigMap, {
    namespace: key.namespace,
    fieldSelector: `metadata.name=${key.name}`,
  });
  const see = (found: string): void => {
    if (found === pem) return;
    pem = found;
    onChange(pem);
  };
  informer.addHandler({
    added: (object) => see(authoritiesIn(object)),
    updated: (object) => see(authoritiesIn(object)),
  });
  return {
    get pem() {
      return pem;
    },
    close: () => informers.close(),
  };
}

const authoritiesIn = ({ data }: ConfigMap): string => data?.["client-ca-file"] ?? "";
