import type { ResourceQuota } from "../../../api/core/v1/quota/resource-quota.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { MemoryStore } from "../../../store/memory/memory-store.ts";
import type { Store } from "../../../store/store.ts";
import { openServer, send } from "../../in-process.test-support.ts";
import type { ApiServerOptions } from "../../server-options.ts";

/** A server with the requests that tests of quotas send, all in the namespace `default`. */
export interface QuotaServer {
  /** The response to a request: the code, and the message of an error. */
  say(method: string, path: string, body?: object): Promise<string>;
  /** Creates a quota without usage, with the status that its controller would write. */
  quota(name: string, hard: Readonly<Record<string, string>>, spec?: object): Promise<void>;
  read(name: string): Promise<ResourceQuota>;
  used(name: string): Promise<unknown>;
  count(plural: string): Promise<number>;
  /** The versions of all objects of a resource. */
  versions(plural: string): Promise<readonly string[]>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}
export type Send = (method: string, path: string, body?: object) => Promise<Answer>;

const home = "/api/v1/namespaces/default";

/** The same of a server that is reached somehow. */
export function quotaServer(ask: Send): QuotaServer {
  const at = (path: string): string => (path.startsWith("/") ? path : `${home}/${path}`);
  const object = async (path: string) => JSON.parse((await ask("GET", at(path))).text);
  const say: QuotaServer["say"] = async (method, path, body) => {
    const { status, text } = await ask(method, at(path), body);
    return status < 300 ? `${status}` : `${status} ${JSON.parse(text).message}`;
  };
  const read = (name: string): Promise<ResourceQuota> => object(`resourcequotas/${name}`);
  return {
    say,
    read,
    async quota(name, hard, spec = {}) {
      const quota = { metadata: { name }, spec: { hard, ...spec } };
      await ask("POST", at("resourcequotas"), quota);
      const used = Object.fromEntries(Object.keys(hard).map((one) => [one, "0"]));
      const status = { hard, used };
      await ask("PUT", at(`resourcequotas/${name}/status`), { ...(await read(name)), status });
    },
    used: async (name) => (await read(name)).status.used,
    count: async (plural) => (await object(plural)).items.length,
    versions: async (plural) =>
      (await object(plural)).items.map(
        ({ metadata }: ResourceQuota) => metadata.resourceVersion ?? "",
      ),
  };
}

/** A server in this process, on a memory store or a given one. */
export async function inProcess({
  clock = new VirtualClock(Date.UTC(2026, 0, 1)),
  store = new MemoryStore(clock),
  ...options
}: Partial<Omit<ApiServerOptions, "store" | "clock">> & {
  readonly store?: Store;
  readonly clock?: VirtualClock;
} = {}): Promise<QuotaServer> {
  const admission = { disable: ["ServiceAccount"], ...options.admission };
  const server = await openServer(clock, store, { ...options, admission });
  return quotaServer((method, path, body) => {
    const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
    return send(server, { method, path, headers, body });
  });
}
