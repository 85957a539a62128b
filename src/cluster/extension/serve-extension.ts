import { aborted } from "../../base/on-abort.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import type { KeptObjects } from "../../controller-runtime/objects/keep-objects.ts";
import { clientAuthorities } from "../component/client-authorities.ts";
import { ownFrontProxies } from "../serving/own-front-proxies.ts";
import type { ApiServerOptions } from "./api-server.ts";
import { type OpenParts, openExtensionCore } from "./extension-core.ts";
import { acceptStreams, listenOverTls } from "./extension-listener.ts";
import { type Registration, registerServer, unregisterServer } from "./registered-server.ts";
import { servedKindsOf } from "./served-kinds.ts";

export interface ExtensionRun {
  /** Ends the server. */
  readonly signal: AbortSignal;
  onRegistration(registration: Pick<KeptObjects, "isComplete">): void;
}

/** Runs a server of other APIs until its signal aborts. */
export async function serveExtension(
  options: ApiServerOptions,
  ctx: RunnableContext,
  { signal, onRegistration }: ExtensionRun,
): Promise<void> {
  const { name, kinds = [], webhooks = [], versions = [], registers = true } = options;
  const { client, log, accept } = ctx;
  const open: OpenParts = [];
  let reload = (): void => {};
  let refresh = (): void => {};
  try {
    const authorities = accept
      ? undefined
      : await clientAuthorities({ client, log, tolerates: false, onChange: () => reload() });
    if (authorities) open.unshift(authorities);
    const served = servedKindsOf(kinds, webhooks);
    const frontProxies = () => (authorities ? authorities.current.requestHeader : ownFrontProxies);
    const core = await openExtensionCore(options, ctx, { served, frontProxies, open });
    const parts = { core, open, onChange: () => refresh() };
    const listener = authorities
      ? await listenOverTls(options, ctx, { ...parts, authorities })
      : acceptStreams(options, ctx, parts);
    reload = listener.reload;
    const registration: Registration = {
      service: listener.service,
      trust: listener.trust,
      versions: [
        ...new Map(
          [...served.kinds, ...versions].map((one) => [`${one.group}/${one.version}`, one]),
        ).values(),
      ],
      groupPriorityMinimum: options.groupPriorityMinimum ?? 1000,
      versionPriority: options.versionPriority ?? 15,
    };
    if (!registers) {
      await aborted(signal);
      return;
    }
    const kept = registerServer(ctx, name, registration);
    open.unshift(kept);
    refresh = () => kept.refresh();
    onRegistration(kept);
    await aborted(signal);
    onRegistration({ isComplete: false });
    open.shift()?.close();
    if (options.service === undefined || accept) await unregisterServer(ctx, registration);
  } finally {
    for (const part of open.splice(0)) await part.close();
  }
}
