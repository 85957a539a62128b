import { boolFlag, stringFlag } from "../../../../cli/flag.ts";

/** The flags of commands that work in a container. */
export const containerFlags = {
  container: stringFlag({
    short: "c",
    usage:
      "Container name. If omitted, the annotation kubectl.kubernetes.io/default-container names the container, else it is the first one of the pod",
  }),
};

/** The flags of commands with the standard streams of a container. */
export const sessionFlags = {
  ...containerFlags,
  stdin: boolFlag({ short: "i", usage: "Pass stdin to the container" }),
  tty: boolFlag({ short: "t", usage: "Stdin is a TTY" }),
  quiet: boolFlag({ short: "q", usage: "Only print output from the remote session" }),
};
