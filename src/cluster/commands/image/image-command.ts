import { command } from "../../../cli/command.ts";
import { imageStoreFlags } from "./image-store-flags.ts";

/** Manages the images of an engine. */
export const imageCommand = command({
  name: "image",
  short: "Manage the images of an engine",
  long: `Manage the images in the data directory of an engine: pull them from registries, load and save
them as archives, name, check and remove them.

A running engine carries out the commands itself; without one, they open its data directory. Credentials
for registries come from docker's configuration file and its helpers; mirrors, certificates and insecure
registries from containerd's hosts.toml files (--registry-config-dir); proxies from HTTPS_PROXY,
HTTP_PROXY and NO_PROXY.`,
  examples: `  # Get an image from docker on this machine
  docker save app | wherry image load -

  # Pull an image and look at it
  wherry image pull nginx:1.27
  wherry image inspect nginx:1.27`,
  persistentFlags: imageStoreFlags,
  commands: [
    {
      name: "ls",
      short: "List images",
      load: async () => (await import("./ls-command.ts")).lsCommand,
    },
    {
      name: "pull",
      short: "Pull images from their registries",
      load: async () => (await import("./pull-command.ts")).pullCommand,
    },
    {
      name: "push",
      short: "Push an image to its registry",
      load: async () => (await import("./push-command.ts")).pushCommand,
    },
    {
      name: "load",
      short: "Load images from an archive",
      load: async () => (await import("./load-command.ts")).loadCommand,
    },
    {
      name: "save",
      short: "Save images as an archive",
      load: async () => (await import("./save-command.ts")).saveCommand,
    },
    {
      name: "tag",
      short: "Give an image another name",
      load: async () => (await import("./tag-command.ts")).tagCommand,
    },
    {
      name: "inspect",
      short: "Show the details of images",
      load: async () => (await import("./inspect-command.ts")).inspectCommand,
    },
    {
      name: "rm",
      short: "Remove names and images",
      load: async () => (await import("./rm-command.ts")).rmCommand,
    },
    {
      name: "prune",
      short: "Remove unused images and all that no image needs",
      load: async () => (await import("./prune-command.ts")).pruneCommand,
    },
    {
      name: "verify",
      short: "Check the stored images for damage",
      load: async () => (await import("./verify-command.ts")).verifyCommand,
    },
  ],
});
