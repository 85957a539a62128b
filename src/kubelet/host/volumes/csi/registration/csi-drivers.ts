import type { CsiDriverClient } from "../csi-driver-client.ts";

/** The drivers that are registered on a node. */
export interface CsiDrivers {
  /** The client of a driver; throws if the driver is not registered. */
  client(name: string): CsiDriverClient;
  find(name: string): CsiDriverClient | undefined;
  names(): readonly string[];
  set(name: string, client: CsiDriverClient): void;
  delete(name: string): void;
  /** Called with the name of each driver that is registered or removed, until the returned function is called. */
  onChange(listener: (name: string) => void): () => void;
}

export function createCsiDrivers(): CsiDrivers {
  const clients = new Map<string, CsiDriverClient>();
  const listeners = new Set<(name: string) => void>();
  const changed = (name: string): void => {
    for (const listener of listeners) listener(name);
  };
  return {
    client(name) {
      if (name === "") throw new Error("driver name is empty");
      const client = clients.get(name);
      if (client) return client;
      throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
    },
    find: (name) => clients.get(name),
    names: () => [...clients.keys()],
    set(name, client) {
      clients.set(name, client);
      changed(name);
    },
    delete(name) {
      clients.delete(name);
      changed(name);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
