import { networkInterfaces } from "node:os";

/** All addresses of the machine, or of the network namespace of this process, without loopback ones. */
export const machineAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.flatMap(({ address, internal }) => (internal ? [] : [address])),
  );
