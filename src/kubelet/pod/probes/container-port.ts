import type { Container } from "../../../api/core/v1/container/container.ts";
import { quote } from "../../../schema/values/quote.ts";

/** The number of a port that is given by number, or by the name that it has in a container. */
export function containerPort(port: number | string, { ports = [] }: Container): number {
  const number = typeof port === "number" ? port : named(port, ports);
  if (number > 0 && number < 65536) return number;
  throw new Error(`invalid port number: ${number}`);
}

function named(name: string, ports: NonNullable<Container["ports"]>): number {
  const found = ports.find((port) => port.name === name);
  if (found) return found.containerPort;
  if (/^[+-]?[0-9]+$/.test(name)) return Number(name);
  throw new Error(`strconv.Atoi: parsing ${quote(name)}: invalid syntax`);
}
