import { goJson } from "../../schema/json/go-json.ts";
import type { FrontProxies } from "../authentication/front-proxy.ts";
import { bundleWithout, combinedBundle } from "./certificate-bundle.ts";

/** How a server authenticates its clients. Other servers read it from a config map. */
export interface ClusterAuthentication {
  /** The authorities of client certificates, in PEM form. */
  readonly clientCa?: string;
  readonly requestHeader?: RequestHeaderAuthentication;
  /** Authorities that this server has published and may not trust any more, in PEM form. */
  readonly former?: FormerAuthorities;
}

interface FormerAuthorities {
  readonly clients: readonly string[];
  readonly proxies: readonly string[];
}

/** What a server publishes after it began to authenticate clients in another way. */
export function succeeding(
  { clientCa, requestHeader, former }: ClusterAuthentication,
  next: ClusterAuthentication,
): ClusterAuthentication {
  const including = (known: readonly string[] = [], pem = ""): readonly string[] =>
    pem === "" || known.includes(pem) ? known : [...known, pem];
  return {
    ...next,
    former: {
      clients: including(former?.clients, clientCa),
      proxies: including(former?.proxies, requestHeader?.clientCa),
    },
  };
}

/** How a front proxy names the user of a request. */
export interface RequestHeaderAuthentication extends FrontProxies {
  /** The authorities of the proxies' certificates, in PEM form. */
  readonly clientCa: string;
}

type Data = Readonly<Record<string, string>>;

/**
 * The data of the config map: the settings of this server, added to those of other servers. Throws if
 * the existing data cannot be parsed.
 */
export function authenticationData(
  existing: Data,
  { clientCa, requestHeader, former }: ClusterAuthentication,
  now: number,
): Data {
  const bundle = (key: string, own = "", dropped: readonly string[] = []): string => {
    const there = existing[key] ?? "";
    const kept = there === "" ? "" : bundleWithout(there, dropped, own);
    return combinedBundle(
      [kept, own].filter((text) => text !== ""),
      now,
    );
  };
  const names = (key: string, own: readonly string[] | undefined): string[] => [
    ...new Set([...listOf(existing[key]), ...(own ?? [])]),
  ];
  const clients = bundle("client-ca-file", clientCa, former?.clients);
  const proxies = bundle("requestheader-client-ca-file", requestHeader?.clientCa, former?.proxies);
  const uids = names("requestheader-uid-headers", requestHeader?.uidHeaders);
  const lists = {
    "requestheader-username-headers": requestHeader?.usernameHeaders,
    "requestheader-group-headers": requestHeader?.groupHeaders,
    "requestheader-extra-headers-prefix": requestHeader?.extraHeadersPrefix,
    "requestheader-allowed-names": requestHeader?.allowedNames,
  };
  const written = Object.entries(lists).map(([key, own]) => [key, goJson(names(key, own))]);
  return {
    ...(clients !== "" && { "client-ca-file": clients }),
    ...(proxies !== "" && {
      "requestheader-client-ca-file": proxies,
      ...Object.fromEntries(written),
      ...(uids.length > 0 && { "requestheader-uid-headers": goJson(uids) }),
    }),
  };
}

/** What the data of the config map say: the reverse of `authenticationData`. Throws if they cannot be parsed. */
export function authenticationIn(data: Data): ClusterAuthentication {
  const { "client-ca-file": clientCa, "requestheader-client-ca-file": proxyCa } = data;
  const list = (key: string): readonly string[] => listOf(data[`requestheader-${key}`]);
  return {
    ...(clientCa !== undefined && { clientCa }),
    ...(proxyCa !== undefined && {
      requestHeader: {
        clientCa: proxyCa,
        allowedNames: list("allowed-names"),
        usernameHeaders: list("username-headers"),
        uidHeaders: list("uid-headers"),
        groupHeaders: list("group-headers"),
        extraHeadersPrefix: list("extra-headers-prefix"),
      },
    }),
  };
}

function listOf(text: string | undefined): readonly string[] {
  if (!text) return [];
  const list: unknown = JSON.parse(text);
  if (list === null) return [];
  if (Array.isArray(list) && list.every((item) => typeof item === "string")) return list;
  throw new Error(`${text} is not a list of strings`);
}
