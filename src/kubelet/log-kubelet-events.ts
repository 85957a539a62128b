import type { Log } from "../base/log.ts";
import type { KubeletEvent, KubeletEvents } from "./kubelet-events.ts";
import { podText } from "./pod/pod-text.ts";

/** Logs the events of a kubelet without an API server. */
export function logKubeletEvents(log: Log): KubeletEvents {
  const write = (object: string, { type, reason, message }: KubeletEvent): void =>
    log.info("event", { object, type, reason, message });
  return {
    pod: (pod, event) => write(podText(pod), event),
    container: (pod, container, event) => write(`${podText(pod)} ${container}`, event),
    node: ({ metadata }, event) => write(metadata.name ?? "", event),
    claim: ({ metadata }, event) => write(`${metadata.namespace}/${metadata.name}`, event),
    close: async () => {},
  };
}
