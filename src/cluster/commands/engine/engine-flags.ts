import { choiceFlag, stringFlag, stringsFlag } from "../../../cli/flag.ts";

/** Where the engine keeps what survives a reboot, unless a flag says otherwise. */
const defaultEngineDir = "/var/lib/wherry/engine";

/** The flags of `wherry engine`. */
export const engineFlags = {
  "data-dir": stringFlag({
    usage: "the `FOLDER` of images, containers and volumes. Its file system must not be an overlay",
    default: defaultEngineDir,
  }),
  "run-dir": stringFlag({
    usage: "a `FOLDER` that does not survive a reboot, for sockets and namespaces",
    default: "/run/wherry/engine",
  }),
  listen: stringFlag({
    usage: "serve CRI v1 at this `ADDRESS` (unix:///PATH); empty serves it not at all",
    default: "unix:///run/wherry/engine/cri.sock",
  }),
  "docker-listen": stringFlag({
    usage:
      "serve Docker's API at this `ADDRESS` (unix:///PATH). Whoever can connect is as powerful as root: they can mount any folder of the machine into a container. By default it is not served",
  }),
  "docker-group": stringFlag({
    usage:
      "the `GROUP` that may use Docker's socket, and is as powerful as root. By default root alone may",
  }),
  "oci-runtime": stringFlag({
    usage: "the `PROGRAM` that isolates containers: runc, or another one with its command line",
    default: "runc",
  }),
  "cgroup-manager": choiceFlag({
    usage: "who creates the cgroups of containers: the OCI runtime itself, or systemd",
    choices: ["cgroupfs", "systemd"],
    default: "cgroupfs",
  }),
  network: choiceFlag({
    usage:
      "what connects pods: CNI plugins; CNI plugins or, without a configuration of them, the built-in network; or nothing but their loopback",
    choices: ["cni", "auto", "none"],
    default: "cni",
  }),
  "cni-config-dir": stringFlag({
    usage: "the `FOLDER` of CNI configurations: the first valid one by name is used",
    default: "/etc/cni/net.d",
  }),
  "cni-plugin-dir": stringsFlag({
    usage: "the `FOLDERS` of CNI plugins",
    default: ["/opt/cni/bin", "/usr/lib/cni"],
  }),
  "registry-config-dir": stringsFlag({
    usage:
      "`FOLDERS` with a folder for each registry, and in it containerd's hosts.toml: mirrors, authorities, insecure hosts",
    default: ["/etc/containerd/certs.d", "/etc/docker/certs.d"],
  }),
} as const;
