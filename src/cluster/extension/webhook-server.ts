import { isIP } from "node:net";
import { type Listener, listen } from "../../apiserver/http/listen.ts";
import type { Handler } from "../../apiserver/request/request.ts";
import { textResponse } from "../../apiserver/request/respond.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import type { RespondToReview } from "../../controller-runtime/webhooks/respond-to-review.ts";
import type { Webhook } from "../../controller-runtime/webhooks/webhook-definition.ts";
import {
  type ListenForWebhooks,
  runningWebhooks,
  type WebhookListener,
  type WebhookServer,
} from "../../controller-runtime/webhooks/webhook-server.ts";
import type { ServerNames } from "../../platform/pki/server-certificates.ts";
import { serveStream } from "../in-process/serve-stream.ts";
import type { CertificateFiles } from "./given-certificates.ts";
import type { CertificateSecret } from "./kept-certificates.ts";
import { openCertificates } from "./open-certificates.ts";

export interface WebhookServerOptions {
  /** The name of the configurations that are written, such as that of the operator. */
  readonly name: string;
  /** The webhooks, each of them a `webhook({…})`. */
  readonly webhooks: readonly Webhook[];
  /**
   * The service of the pods that serve the webhooks. Without it API servers call this machine, and the configurations
   * are deleted at the end, as when an operator runs on the machine of its developer.
   */
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        /** 443 if not given. */
        readonly port?: number | undefined;
      }
    | undefined;
  /** How API servers call this machine without a service; `127.0.0.1` if not given. */
  readonly host?: string | undefined;
  /** Where to listen: at 9443 of all addresses with a service, and at any free port of loopback without. */
  readonly port?: number | undefined;
  readonly address?: string | undefined;
  /**
   * The secret in which the pods of a service share their certificates, which is made if it is missing; `NAME-webhooks`
   * in the service's namespace if not given.
   */
  readonly secret?: CertificateSecret | undefined;
  /** The files of a certificate that somebody else makes; without them the server makes its own. */
  readonly certificate?: CertificateFiles | undefined;
  /** Called with the port once it is open. */
  readonly onListening?: ((port: number) => void) | undefined;
}

/**
 * Serves webhooks over TLS, with certificates that it makes and renews, and has API servers call them:
 * `createManager({ …, controllers: [widgets], runnables: [webhookServer({ name: "widgets", webhooks })] })`.
 */
export function webhookServer(options: WebhookServerOptions): WebhookServer {
  const { name, webhooks } = options;
  return runningWebhooks({ name, webhooks, listen: listenFor(options) });
}

/** Within the process there are neither sockets nor certificates. */
const listenFor =
  (options: WebhookServerOptions): ListenForWebhooks =>
  async (respond, ctx, onChange) => {
    if (!ctx.accept) return listenOverTls(options, { respond, ctx, onChange });
    const served = { handler: webhookHandler(respond), peer: undefined };
    const { host, close } = ctx.accept((stream) => void serveStream(stream, served));
    return {
      address: { url: `https://${host}` },
      ca: undefined,
      isShared: false,
      close: async () => close(),
    };
  };

interface Listening {
  readonly respond: RespondToReview;
  readonly ctx: RunnableContext;
  readonly onChange: () => void;
}

async function listenOverTls(
  options: WebhookServerOptions,
  { respond, ctx, onChange }: Listening,
): Promise<WebhookListener> {
  const { service, host = "127.0.0.1", onListening } = options;
  let listener: Listener | undefined;
  const kept = await openCertificates(options, ctx, {
    names: namesOf(options),
    purpose: "webhooks",
    onChange() {
      listener?.renew(kept.current.server);
      onChange();
    },
  });
  try {
    listener = await listen({
      host: options.address ?? (service ? "0.0.0.0" : "127.0.0.1"),
      port: options.port ?? (service ? 9443 : 0),
      tls: kept.current.server,
      handler: webhookHandler(respond),
      log: ctx.log,
      limits: { bodyBytes: largestReview },
    });
  } catch (error) {
    kept.close();
    throw error;
  }
  const { port } = listener;
  onListening?.(port);
  const authority = host.includes(":") ? `[${host}]` : host;
  return {
    address: service ? { service } : { url: `https://${authority}:${port}` },
    get ca() {
      return kept.current.ca;
    },
    isShared: service !== undefined,
    async close() {
      kept.close();
      await listener?.close(closeMs);
    },
  };
}

/** A review for conversion has all objects of a list. */
const largestReview = 64 * 2 ** 20;

/** How long running reviews may take at the end: more than most timeouts of webhooks. */
const closeMs = 10_000;

function namesOf({ service, host = "127.0.0.1" }: WebhookServerOptions): ServerNames {
  if (!service) {
    return isIP(host) === 0 ? { dnsNames: [host], ips: [] } : { dnsNames: [], ips: [host] };
  }
  const name = `${service.name}.${service.namespace}.svc`;
  return { dnsNames: [name, `${name}.cluster.local`], ips: [] };
}

/** Has webhooks respond to what is posted to a server. */
export function webhookHandler(respond: RespondToReview): Handler {
  return async ({ method, path, body = new Uint8Array() }) => {
    if (method !== "POST") return textResponse(405, "405 only reviews are accepted\n");
    const { status, type, body: text } = await respond(path, new TextDecoder().decode(body));
    const plain = textResponse(status, text);
    return { ...plain, headers: { ...plain.headers, "content-type": type } };
  };
}
