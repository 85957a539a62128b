import type { LocalPort } from "../../../network/userspace/userspace-proxy.ts";
import { tableText } from "../../store/terminal.ts";

/** Says which services are reachable where: all at first, then what has changed. */
export class LocalPortsTable {
  readonly #through: "api" | "pods";
  #rows: ReadonlyMap<string, Row> | undefined;

  constructor(through: "api" | "pods") {
    this.#through = through;
  }

  /** The text to print for these ports; empty if nothing that it tells has changed. */
  update(ports: readonly LocalPort[]): string {
    const rows = new Map(ports.map((port) => [keyOf(port), this.#row(port)]));
    const before = this.#rows;
    this.#rows = rows;
    if (!before) return rows.size === 0 ? nothing : tableText(heading, [...rows.values()]);
    const changed = [...rows].filter(([key, row]) => before.get(key)?.join() !== row.join());
    const gone = [...before].filter(([key]) => !rows.has(key));
    const lines = [
      ...changed.map(([, row]) => row),
      ...gone.map(([, [service, port]]) => [service, port, "-", "the service is gone"] as const),
    ];
    return lines.length === 0 ? "" : tableText(heading, lines);
  }

  #row({ service, name, port, protocol, localPort, backends }: LocalPort): Row {
    const label = `${name === "" ? "" : `${name} `}${port}/${protocol}`;
    if (localPort === undefined) return [service, label, "-", `${protocol} needs --direct`];
    const ready = backends.length === 1 ? "1 endpoint" : `${backends.length} endpoints`;
    const way =
      this.#through === "api" && backends.some(({ pod }) => pod) ? ", through the API server" : "";
    return [service, label, `127.0.0.1:${localPort}`, `${ready}${way}`];
  }
}

type Row = readonly [service: string, port: string, address: string, endpoints: string];

const heading = ["SERVICE", "PORT", "ADDRESS", "ENDPOINTS"];
const nothing = "No service has an address of the cluster yet; waiting.\n";

const keyOf = ({ service, port, protocol }: LocalPort): string => `${service} ${port} ${protocol}`;
