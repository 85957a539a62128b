import { createServer } from "node:net";
import { listenFault } from "../serving/listen-fault.ts";

/** Throws, with a remedy, if a port of this machine is in use; port 0 always passes. */
export async function checkPort(
  port: number,
  { wasOwn }: { readonly wasOwn: boolean },
): Promise<void> {
  if (port === 0) return;
  const fault = await new Promise<unknown>((resolve) => {
    const server = createServer().once("error", resolve);
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });
  if (fault === undefined) return;
  if ((fault as NodeJS.ErrnoException).code !== "EADDRINUSE")
    throw listenFault(fault, { host: "127.0.0.1", port, flag: "--port" });
  const whose = wasOwn ? `, which this cluster had before,` : "";
  throw new Error(
    `port ${port}${whose} is in use by another program: stop it (find it with "ss -ltnp 'sport = :${port}'" or "lsof -i :${port}"), or choose another port with --port; --port 0 chooses a free one`,
  );
}
