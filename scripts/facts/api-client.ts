import { HttpClient, parsed, type Request } from "./http-client.ts";
import { pick, sleep } from "./values.ts";

/** What runners look at in every object. */
export interface ApiObject {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly generateName?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
}
export interface ApiAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}
export type WatchType = "ADDED" | "MODIFIED" | "DELETED";

export const mergePatch = { "content-type": "application/merge-patch+json" };

/** The API of a cluster, as scenarios use it. */
export class ApiClient {
  readonly #http: HttpClient;
  #closed = false;

  constructor(kubeconfig: string) {
    this.#http = new HttpClient(kubeconfig, "scenario/1");
  }

  get http(): HttpClient {
    return this.#http;
  }

  close(): void {
    this.#closed = true;
    this.#http.close();
  }

  async send(request: Request): Promise<ApiAnswer> {
    const { status, rawHeaders, text } = await this.#http.send(request);
    const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && /^retry-after$/i.test(name));
    return { status, retryAfter: at < 0 ? undefined : rawHeaders[at + 1], body: parsed(text) };
  }

  get(path: string): Promise<ApiAnswer> {
    return this.send({ path });
  }

  patch(path: string, body: object): Promise<ApiAnswer> {
    return this.send({ method: "PATCH", path, headers: mergePatch, body });
  }

  /** Deletes an object; without options the kind's own grace period applies. */
  delete(path: string, options: object = {}): Promise<ApiAnswer> {
    const body = { apiVersion: "v1", kind: "DeleteOptions", ...options };
    return this.send({ method: "DELETE", path, body });
  }

  /** Sends a request that must succeed. */
  async must(request: Request): Promise<ApiAnswer> {
    const answer = await this.send(request);
    if (answer.status < 400) return answer;
    const { method = "GET", path } = request;
    throw new Error(`${method} ${path}: ${answer.status} ${pick(answer.body, "message") ?? ""}`);
  }

  async list<T extends ApiObject>(path: string): Promise<readonly T[]> {
    return (pick((await this.get(path)).body, "items") ?? []) as readonly T[];
  }

  /**
   * Lists a resource and watches it until the client is closed. Resolves when the list was read;
   * what comes later has no effect on it.
   */
  follow(path: string, see: (type: WatchType, object: ApiObject) => void): Promise<void> {
    return new Promise((listed) => {
      void this.#follow(path, see, listed);
    });
  }

  async #follow(
    path: string,
    see: (type: WatchType, object: ApiObject) => void,
    listed: () => void,
  ): Promise<void> {
    while (!this.#closed) {
      try {
        const { status, body } = await this.get(path);
        if (status === 200) {
          for (const object of pick(body, "items") as readonly ApiObject[]) see("ADDED", object);
          listed();
          const version = pick(body, "metadata.resourceVersion");
          await this.#http.watch(`${path}?watch=true&resourceVersion=${version}`, (event) => {
            const { type, object } = event as { type: string; object: ApiObject };
            if (type !== "ERROR" && type !== "BOOKMARK") see(type as WatchType, object);
          });
        }
      } catch (error) {
        if (!this.#closed) console.error(`watching ${path}: ${(error as Error).message}`);
      }
      // A resource that the server does not have must not keep the others waiting.
      listed();
      if (!this.#closed) await sleep(200);
    }
  }
}

/** Waits until the namespace of an earlier run is gone. */
export async function namespaceGone(api: ApiClient, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  for (let i = 0; i < 300 && (await api.get(path)).status !== 404; i++) await sleep(200);
}

export async function createNamespace(
  api: ApiClient,
  name: string,
  labels?: Readonly<Record<string, string>>,
): Promise<void> {
  const metadata = { name, ...(labels && { labels }) };
  const body = { apiVersion: "v1", kind: "Namespace", metadata };
  await api.must({ method: "POST", path: "/api/v1/namespaces", body });
}

/** The name that a scenario's namespace has. */
export const namespaceOf = (scenario: string): string => scenario.replaceAll(/[^a-z0-9]+/g, "-");

/** The time as Kubernetes writes it. */
export const timeText = (ms = Date.now()): string =>
  new Date(ms).toISOString().replace(/\.\d+Z/, "Z");
