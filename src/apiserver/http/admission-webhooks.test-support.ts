import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type {
  AdmissionRequest,
  AdmissionResponse,
} from "../../api/admission/v1/admission-review.ts";
import { selfSigned } from "../../platform/real-network.test-support.ts";
import { realNetwork } from "../../platform/real-network.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { openServer, send, type TestRequest, wallClock } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";

/** The answer to a request, with its body parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  readonly body: any;
}

/** A request in a review; its objects are JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into objects of all kinds
export type Reviewed = AdmissionRequest & { readonly object: any; readonly oldObject: any };

/** A response; what is not given is as a webhook of Go would leave it out. */
export type Decision = Partial<Omit<AdmissionResponse, "status">> & {
  readonly status?: object;
};

/** A webhook: its decision, without the uid; a string is the whole text of the response. */
export type Decide = (
  request: Reviewed,
  review: { readonly apiVersion: string; readonly url: string },
) => Decision | string | undefined | Promise<Decision | string | undefined>;

/** A configuration of one kind with the webhooks that tests need; fields that are not given have a usable value. */
export interface WebhookFields {
  /** Its path, and its name: `NAME.w.io`. */
  readonly name: string;
  readonly rules?: readonly object[];
  readonly [field: string]: unknown;
}

/** A server in this process whose webhooks are in this process, too, behind TLS. */
export interface WebhookWorld {
  readonly server: ApiServer;
  /** The webhooks by path; tests add theirs. */
  readonly webhooks: Map<string, Decide>;
  readonly ca: string;
  readonly port: number;
  ask(request: TestRequest): Promise<Answer>;
  /** Creates a configuration of webhooks, and waits until the server uses it. */
  configure(type: "Mutating" | "Validating", name: string, hooks: WebhookFields[]): Promise<Answer>;
  close(): void;
}

const tls = selfSigned();

export async function openWebhookWorld(): Promise<WebhookWorld> {
  const webhooks = new Map<string, Decide>();
  const hook = createServer(tls, (request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", async () => {
      const review = JSON.parse(body);
      const url = request.url ?? "";
      const decide = webhooks.get(url.replace(/^\/|\?.*$/g, ""));
      const decision = await decide?.(review.request, { apiVersion: review.apiVersion, url });
      if (decision === undefined) response.writeHead(404);
      if (typeof decision === "string") response.end(decision);
      else
        response.end(
          JSON.stringify({
            kind: review.kind,
            apiVersion: review.apiVersion,
            response: { uid: review.request.uid, ...decision },
          }),
        );
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  const { port } = hook.address() as AddressInfo;
  const server = await openServer(wallClock, new MemoryStore(wallClock), { network: realNetwork });
  const ca = btoa(tls.cert);
  const ask = async (request: TestRequest): Promise<Answer> => {
    const { status, headers, text } = await send(server, request);
    return { status, headers, body: /^[{[]/.test(text) ? JSON.parse(text) : text };
  };
  return {
    server,
    webhooks,
    ca,
    port,
    ask,
    configure: (type, name, hooks) =>
      ask({
        method: "POST",
        path: `/apis/admissionregistration.k8s.io/v1/${type.toLowerCase()}webhookconfigurations`,
        body: {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: `${type}WebhookConfiguration`,
          metadata: { name },
          webhooks: hooks.map(({ name: path, ...fields }) => ({
            name: `${path}.w.io`,
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            clientConfig: { url: `https://127.0.0.1:${port}/${path}`, caBundle: ca },
            rules: [writes("configmaps")],
            ...fields,
          })),
        },
      }),
    close() {
      server.close();
      hook.close();
      hook.closeAllConnections();
    },
  };
}

/** A rule for the creation and update of a resource. */
export const writes = (resource: string, change: object = {}): object => ({
  operations: ["CREATE", "UPDATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: [resource],
  ...change,
});

/** A JSON patch as a webhook responds with it. */
export const patching = (...operations: object[]): Decision => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: btoa(JSON.stringify(operations)),
});
