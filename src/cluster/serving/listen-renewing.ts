import {
  type Listener,
  type ListenOptions,
  listen,
  type ServingTls,
} from "../../apiserver/http/listen.ts";
import { realClock } from "../../platform/real-clock.ts";
import { watchFiles } from "../../platform/watch-files.ts";
import { listenFault } from "./listen-fault.ts";
import { type OwnServing, type ServingOptions, servingFiles, servingTls } from "./serving.ts";

export interface RenewingListenerOptions extends Omit<ListenOptions, "tls"> {
  readonly serving: ServingOptions;
  /** The certificate and the authorities that are not in files, at this moment. */
  readonly own: () => OwnServing;
  /** The flag that chooses the port, for errors. */
  readonly portFlag?: string | undefined;
}

/** A server that uses new certificates for new connections when their files change. */
export interface RenewingListener extends Omit<Listener, "renew"> {
  /** Reads all certificates again, because those that are not in files have changed. */
  reload(): void;
}

/** Serves over TLS, and watches the files of the certificates. */
export async function listenRenewing(options: RenewingListenerOptions): Promise<RenewingListener> {
  const { serving, own, portFlag: flag, host, port, log } = options;
  const load = async (): Promise<ServingTls> =>
    (await servingTls(serving, own(), { host, log })).tls;
  const listener = await listen({ ...options, tls: await load() }).catch((cause: unknown) => {
    throw listenFault(cause, { host, port, ...(flag !== undefined && { flag }) });
  });
  const reload = (): void =>
    void load().then(
      (tls) => listener.renew(tls),
      (error: unknown) => log.error("reloading certificates failed", error),
    );
  const files = watchFiles(servingFiles(serving, own()), { clock: realClock, onChange: reload });
  return {
    port: listener.port,
    reload,
    close(deadline) {
      files.close();
      return listener.close(deadline);
    },
  };
}
