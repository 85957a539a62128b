import type { KubeletConfiguration } from "../../../../kubelet/config/kubelet-configuration.ts";
import type { Check } from "./check.ts";

/** A check of the configuration of each kubelet; `find` returns what is wrong with one. */
const kubeletCheck = (
  check: Omit<Check, "look">,
  find: (config: KubeletConfiguration) => string | false,
): Check => ({
  ...check,
  look: ({ kubelets }) =>
    kubelets &&
    Object.entries(kubelets).flatMap(([node, config]) => {
      const found = find(config);
      return found ? [`${node}: ${found}`] : [];
    }),
});

/** Checks of the agents of nodes. */
export const nodeChecks: readonly Check[] = [
  kubeletCheck(
    {
      id: "kubelet-anonymous",
      title: "Kubelets reject anonymous requests",
      why: "A kubelet runs commands in containers for those that it lets in.",
      fix: "Set authentication.anonymous.enabled to false in the KubeletConfiguration.",
      severity: "fault",
    },
    ({ authentication }) =>
      authentication.anonymous.enabled === true && "anonymous requests are accepted",
  ),
  kubeletCheck(
    {
      id: "kubelet-authorization",
      title: "Kubelets have the API server authorize requests",
      why: "With AlwaysAllow everybody who authenticates can run commands in all containers of the node.",
      fix: "Set authorization.mode to Webhook in the KubeletConfiguration.",
      severity: "fault",
    },
    ({ authorization }) => authorization.mode !== "Webhook" && `the mode is ${authorization.mode}`,
  ),
  kubeletCheck(
    {
      id: "kubelet-read-only-port",
      title: "Kubelets serve nothing without authentication",
      why: "The read-only port shows the pods and their environment to everybody.",
      fix: "Set readOnlyPort to 0 in the KubeletConfiguration.",
      severity: "fault",
    },
    ({ readOnlyPort }) => readOnlyPort !== 0 && `the port ${readOnlyPort} is open`,
  ),
  kubeletCheck(
    {
      id: "kubelet-rotation",
      title: "Kubelets renew their client certificates",
      why: "A node whose certificate expires is lost to the cluster.",
      fix: "Set rotateCertificates and serverTLSBootstrap to true in the KubeletConfiguration.",
      severity: "advice",
    },
    // Whoever writes the files of a serving certificate renews the client certificate, too: that is how the nodes of
    // "wherry up" get theirs.
    ({ rotateCertificates, tlsCertFile = "" }) =>
      !rotateCertificates && tlsCertFile === "" && "certificates are not renewed",
  ),
];
