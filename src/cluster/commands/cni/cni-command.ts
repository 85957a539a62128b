import { command } from "../../../cli/command.ts";

/** The CNI plugins, for runtimes of others. */
export const cniCommand = command({
  name: "cni",
  short: "Connect the pods of any runtime, by CNI",
  long: `Connect the pods of any container runtime, by plugins of the Container Network Interface 1.1.

One program, wherry-cni, is all plugins: it does what the name says that it is called by, or else the
type in the configuration.

  wherry      the built-in network: each pod has a pair of interfaces and a route; podCidr has its range
  bridge      connects pods by a bridge
  host-local  assigns addresses of a range, with the same files as the plugin of that name elsewhere
  portmap     has ports of the machine lead to pods, by nftables
  loopback    sets up the loopback interface

Where a runtime calls "wherry cni" with CNI_COMMAND in its environment, it is that program, too.`,
  commands: [
    {
      name: "install",
      short: "Install the plugins, and a configuration",
      load: async () => (await import("./install-command.ts")).installCommand,
    },
  ],
});
