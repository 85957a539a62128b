import { ConfigMap } from "../../api/core/v1/config-map.ts";
import {
  authenticationIn,
  type ClusterAuthentication,
} from "../../apiserver/bootstrap/cluster-authentication.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import { createInformers } from "../../client/informer/informers.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { sameJson } from "../../schema/json/json-value.ts";

export interface ClientAuthoritiesOptions {
  readonly client: Client;
  readonly log: Log;
  /** Whether to continue without them if the API server cannot be reached. */
  readonly tolerates: boolean;
  /** Called after they changed. */
  onChange(): void;
}

/** How the API server authenticates its clients, as it publishes it; watched until closed. */
export interface ClientAuthorities {
  readonly current: ClusterAuthentication;
  close(): void;
}

const key = { namespace: "kube-system", name: "extension-apiserver-authentication" };

/** Reads the CA certificates for clients and front proxies from the API server, and watches them. */
export async function clientAuthorities(
  options: ClientAuthoritiesOptions,
): Promise<ClientAuthorities> {
  const { client, log, tolerates, onChange } = options;
  let current = await client
    .get(ConfigMap, key)
    .then(authoritiesIn)
    .catch((cause: unknown): ClusterAuthentication => {
      const error = errorMessage(cause);
      if (!tolerates)
        throw new Error(
          `unable to load configmap based client CA file: ${error}: start without it with --authentication-tolerate-lookup-failure`,
          { cause },
        );
      log.warn("client certificates are not accepted: their CA is unknown", {
        error,
      });
      return {};
    });
  const informers = createInformers({ client, clock: client.clock, random: systemRandom, log });
  const informer = informers.of(ConfigMap, {
    namespace: key.namespace,
    fieldSelector: `metadata.name=${key.name}`,
  });
  const see = (object: ConfigMap): void => {
    try {
      const found = authoritiesIn(object);
      if (sameJson(found, current)) return;
      current = found;
      onChange();
    } catch (error) {
      log.error("the published authentication of clients cannot be read", error);
    }
  };
  informer.addHandler({ added: see, updated: see });
  return {
    get current() {
      return current;
    },
    close: () => informers.close(),
  };
}

const authoritiesIn = ({ data = {} }: ConfigMap): ClusterAuthentication => authenticationIn(data);
