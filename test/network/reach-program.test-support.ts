import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";

// Runs in pods and on nodes, without the libraries of this project: responds with the address of the client, or asks
// others for the address that they see.

/** What responds at an address of each family, or at a name that has both, over TCP and over UDP. */
export interface Target {
  readonly addresses: Addresses;
  readonly tcp: number;
  readonly udp: number;
}

/** One of IPv4 and one of IPv6. */
export type Addresses = readonly [ipv4: string, ipv6: string];

/** The address that was seen, by protocol and family; empty if there was no response. */
export type Seen = Readonly<Record<"TCP4" | "UDP4" | "TCP6" | "UDP6", string>>;

const patienceMs = 2000;
const resendMs = 500;

/** Responds over TCP and UDP at a port of all addresses of both families. */
function serve(port: number): void {
  for (const host of ["0.0.0.0", "::"]) {
    const ipv6Only = host === "::";
    createServer((socket) => {
      socket.on("error", () => {});
      socket.end(socket.remoteAddress ?? "");
    }).listen({ port, host, ipv6Only });
    const socket = createSocket({ type: ipv6Only ? "udp6" : "udp4", ipv6Only });
    socket.on("message", (_, from) => socket.send(from.address, from.port, from.address));
    socket.bind(port, host);
  }
}

/** Asks all targets at the same time. */
async function askAll(
  targets: Readonly<Record<string, Target>>,
): Promise<Readonly<Record<string, Seen>>> {
  const rows = Object.entries(targets).map(async ([name, { addresses, tcp, udp }]) => {
    const [ipv4, ipv6] = addresses;
    const [TCP4, UDP4, TCP6, UDP6] = await Promise.all([
      askTcp({ host: ipv4, port: tcp, family: 4 }),
      askUdp({ host: ipv4, port: udp, family: 4 }),
      askTcp({ host: ipv6, port: tcp, family: 6 }),
      askUdp({ host: ipv6, port: udp, family: 6 }),
    ]);
    return [name, { TCP4, UDP4, TCP6, UDP6 }] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

interface Asked {
  readonly host: string;
  readonly port: number;
  readonly family: 4 | 6;
}

const askTcp = (asked: Asked): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    const socket = connect(asked)
      .setEncoding("utf8")
      .setTimeout(patienceMs, () => socket.destroy())
      .on("data", (data) => {
        text += data;
      })
      .on("error", () => {})
      .on("close", () => resolve(text));
  });

const askUdp = ({ host, port, family }: Asked): Promise<string> =>
  new Promise((resolve) => {
    const socket = createSocket(family === 4 ? "udp4" : "udp6");
    const send = (): void => socket.send("?", port, host, () => {});
    const sending = setInterval(send, resendMs);
    const end = (text: string): void => {
      clearTimeout(timer);
      clearInterval(sending);
      socket.close(() => resolve(text));
    };
    const timer = setTimeout(end, patienceMs, "");
    socket.once("message", (data) => end(data.toString())).on("error", () => {});
    send();
  });

const [mode, argument = ""] = process.argv.slice(2);
if (mode === "serve") serve(Number(argument));
if (mode === "ask") process.stdout.write(JSON.stringify(await askAll(JSON.parse(argument))));
