import type { Clock } from "../base/clock.ts";
import { realClock } from "../platform/real-clock.ts";
import { contextConnection } from "./context-connection.ts";
import { type Credentials, fixedCredentials, type Identity } from "./credentials.ts";
import type { HttpsTransportOptions } from "./https-transport.ts";
import { loadKubeconfig, resolvedKubeconfig } from "./load-kubeconfig.ts";
import { rereadFile } from "./reread-file.ts";
import { chosenContext } from "./validate-kubeconfig.ts";

export interface FollowKubeconfigOptions {
  /** The path of the kubeconfig. */
  readonly path: string;
  /** Its context; the current one if not given. */
  readonly context?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** After how long a request reads the file again: servers renew what is in it long before it expires. */
const maxAgeMs = 1000;

/**
 * The connection of a kubeconfig that may be replaced while it is used, with the authorities and credentials that are
 * in it at the moment. The server stays the one that it named first. What cannot be read leaves the last good content
 * in use.
 */
export async function followKubeconfig({
  path,
  context,
  clock = realClock,
}: FollowKubeconfigOptions): Promise<HttpsTransportOptions> {
  const connectionOf = async (): Promise<HttpsTransportOptions> => {
    const config = resolvedKubeconfig(await loadKubeconfig({ path }));
    return contextConnection(await chosenContext(config, context), { clock });
  };
  const file = rereadFile(path, clock, maxAgeMs);
  const first = await connectionOf();
  let latest = first;
  let known = await file.text();
  let replacing: Promise<void> | undefined;
  const replace = async (text: string): Promise<void> => {
    try {
      const replaced = await connectionOf();
      if (latest !== first) latest.credentials?.close?.();
      latest = replaced;
    } catch {
      // It is half written, or not valid: the next content may be.
    } finally {
      known = text;
      replacing = undefined;
    }
  };
  const current = async (text: Promise<string>): Promise<HttpsTransportOptions> => {
    const content = await text;
    if (content !== known) replacing ??= replace(content);
    await replacing;
    return latest;
  };
  const identityOf = ({ credentials = none }: HttpsTransportOptions): Promise<Identity> =>
    credentials.current();
  const credentials: Credentials = {
    current: async () => identityOf(await current(file.text())),
    async renew(refused) {
      const connection = await current(file.refresh());
      if ((await identityOf(connection)) !== refused) return true;
      return connection.credentials?.renew(refused) ?? false;
    },
    close() {
      first.credentials?.close?.();
      latest.credentials?.close?.();
    },
  };
  return {
    ...first,
    ...(first.credentials && { credentials }),
    ...(first.authorities && {
      authorities: async () => (await current(file.text())).authorities?.(),
    }),
  };
}

const none = fixedCredentials({});
