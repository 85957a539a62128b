import { boolFlag, stringFlag } from "../../../../cli/flag.ts";
import type { ServerFlag } from "../../../flags/server-flag.ts";

const docker =
  "the kubelet no longer knows Docker; give the socket of a runtime by --container-runtime-endpoint";
const cni = "the runtime connects pods; configure its CNI plugins";
const klog = "the log goes to stderr; redirect it";
const deleted = "leave it out";

/** Flags with a value that earlier kubelets had, and what to do instead. */
const values: Readonly<Record<string, string>> = {
  "bootstrap-checkpoint-path": deleted,
  "chaos-chance": deleted,
  "cloud-config": "in-tree cloud providers are gone; use --cloud-provider=external",
  "cni-cache-dir": cni,
  "container-runtime": "all runtimes are remote ones; leave it out",
  docker,
  "docker-endpoint": docker,
  "docker-env-metadata-whitelist": docker,
  "docker-root": docker,
  "docker-tls-ca": docker,
  "docker-tls-cert": docker,
  "docker-tls-key": docker,
  "dynamic-config-dir": "use --config and --config-dir",
  "experimental-bootstrap-kubeconfig": "use --bootstrap-kubeconfig",
  "experimental-dockershim-root-directory": docker,
  "image-pull-progress-deadline": "the runtime decides when a pull has failed",
  "iptables-drop-bit": deleted,
  "iptables-masquerade-bit": deleted,
  "log-backtrace-at": klog,
  "log-dir": klog,
  "log-file": klog,
  "log-file-max-size": klog,
  "master-service-namespace": deleted,
  "network-plugin": cni,
  "network-plugin-mtu": cni,
  "non-masquerade-cidr": cni,
  "pod-infra-container-image": "the runtime chooses the image of its pod sandboxes",
  "seccomp-profile-root": "profiles are in the folder seccomp of --root-dir",
  stderrthreshold: klog,
};

/** Those that are true or false. */
const switches: Readonly<Record<string, string>> = {
  "add-dir-header": klog,
  alsologtostderr: klog,
  "docker-only": docker,
  "docker-tls": docker,
  "enable-cadvisor-json-endpoints": deleted,
  "experimental-check-node-capabilities-before-mount": deleted,
  "experimental-dockershim": docker,
  "experimental-kernel-memcg-notification": "use --kernel-memcg-notification",
  "experimental-logging-sanitization": deleted,
  "keep-terminated-pod-volumes": "volumes of pods that have ended are always unmounted",
  logtostderr: klog,
  "one-output": klog,
  "really-crash-for-testing": deleted,
  "redirect-container-streaming": "streams always go through the kubelet",
  "register-schedulable": "use --register-with-taints",
  "skip-headers": klog,
  "skip-log-headers": klog,
};

/** Flags of earlier kubelets: giving one is an error that says what to do instead. */
export const removedFlags: Readonly<Record<string, ServerFlag>> = Object.fromEntries([
  ...Object.entries(values).map(([name, instead]) => [
    name,
    { ...stringFlag({ usage: "was removed", hidden: true }), ...removed(instead) },
  ]),
  ...Object.entries(switches).map(([name, instead]) => [
    name,
    { ...boolFlag({ usage: "was removed", hidden: true }), ...removed(instead) },
  ]),
]) as Readonly<Record<string, ServerFlag>>;

function removed(instead: string): Pick<ServerFlag, "refusal"> {
  return { refusal: (name) => `--${name} was removed before v1.36: ${instead}` };
}
