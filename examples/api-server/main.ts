// Serves bookings to the cluster of the current kubeconfig context, or of the pod that it runs in.
import { createManager } from "wherry/controller";
import { connect } from "wherry/kubeconfig";
import { roomsServer } from "./bookings.ts";

const { SERVICE = "", DATA = "" } = process.env;
const [namespace = "", name = ""] = SERVICE.split("/");
const connection = await connect();
const server = roomsServer({
  ...(name !== "" && { service: { namespace, name } }),
  ...(DATA !== "" && { store: { directory: DATA } }),
});
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
try {
  await createManager({ ...connection, runnables: [server] }).run({ signal: stop.signal });
} finally {
  connection.close();
}
