import { createServer } from "node:net";
import { listenFault } from "../serving/listen-fault.ts";

/** Throws, with what to do, where a port of this machine is taken; 0 never is. */
export async function checkPort(
  port: number,
  { wasHis }: { readonly wasHis: boolean },
): Promise<void> {
  if (port === 0) return;
  const fault = await new Promise<unknown>((resolve) => {
    const server = createServer().once("error", resolve);
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });
  if (fault === undefined) return;
  if ((fault as NodeJS.ErrnoException).code !== "EADDRINUSE")
    throw listenFault(fault, { host: "127.0.0.1", port, flag: "--port" });
  const whose = wasHis ? `, which this cluster had before,` : "";
  throw new Error(
    `port ${port}${whose} is taken by another program: stop it ("ss -ltnp 'sport = :${port}'" or "lsof -i :${port}" say who it is), or choose another with --port; --port 0 takes a free one`,
  );
}
