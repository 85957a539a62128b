import type { IncomingMessage, ServerResponse } from "node:http";
import type { Store } from "../store.ts";
import { reportedVersion } from "./reported-version.ts";

/** The pages that etcd serves beside gRPC on the same port, for probes: `/health` and `/version`. */
export function httpPages(
  store: Pick<Store, "currentRevision">,
): (request: IncomingMessage, response: ServerResponse) => void {
  const pages = new Map<string, () => Promise<Page>>([
    ["/health", () => healthPage(store)],
    ["/version", async () => versionPage],
  ]);
  return (request, response) => {
    const page = pages.get((request.url ?? "").replace(/\?.*$/s, ""));
    void answer(request, page).then(({ status, text, type = plainText, headers }) => {
      const nosniff = status === 200 ? {} : { "X-Content-Type-Options": "nosniff" };
      response.writeHead(status, { "Content-Type": type, ...nosniff, ...headers }).end(text);
    });
  };
}

interface Page {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const plainText = "text/plain; charset=utf-8";

async function answer(
  { method }: IncomingMessage,
  page: (() => Promise<Page>) | undefined,
): Promise<Page> {
  if (!page) return { status: 404, text: "404 page not found\n" };
  if (method !== "GET")
    return { status: 405, text: "Method Not Allowed\n", headers: { Allow: "GET" } };
  return page();
}

async function healthPage(store: Pick<Store, "currentRevision">): Promise<Page> {
  return store.currentRevision().then(
    () => ({ status: 200, text: '{"health":"true"}' }),
    () => ({ status: 503, text: '{"health":"false"}\n' }),
  );
}

const versionPage: Page = {
  status: 200,
  type: "application/json",
  text: JSON.stringify({
    etcdserver: reportedVersion,
    etcdcluster: reportedVersion.replace(/\d+$/, "0"),
  }),
};
