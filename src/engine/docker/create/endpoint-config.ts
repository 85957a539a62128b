import { type Decoded, map, optional, strings, struct, text } from "../http/decode-json.ts";

/** How a container is connected to a network. */
export const endpointConfig = struct({
  IPAMConfig: optional(struct({ IPv4Address: text, IPv6Address: text, LinkLocalIPs: strings })),
  Links: strings,
  MacAddress: text,
  Aliases: strings,
  DriverOpts: map(text),
});

/** The networks of a new container by their names. */
export const networkingConfig = struct({ EndpointsConfig: map(optional(endpointConfig)) });

export type EndpointConfig = Decoded<typeof endpointConfig>;
export type NetworkingConfig = Decoded<typeof networkingConfig>;
