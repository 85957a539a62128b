import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../../client/client.ts";
import { TransportError } from "../../../client/transport.ts";
import { connect } from "../../../kubeconfig/connect.ts";

/**
 * Calls a function with a client of the server whose data directory this is; without one if it does not run. Throws if
 * it runs but rejects the administrator.
 */
export async function withServerOf<T>(
  dataDir: string,
  call: (client: Client | undefined) => Promise<T>,
): Promise<T> {
  const path = join(dataDir, "admin.kubeconfig");
  if (!existsSync(path)) return call(undefined);
  const { client, close } = await connect({ path, inCluster: false });
  try {
    const isThere = await client.raw({ method: "GET", path: "/version" }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof TransportError && /ECONNREFUSED/.test(error.message)) return false;
        throw error;
      },
    );
    return await call(isThere ? client : undefined);
  } finally {
    close();
  }
}
