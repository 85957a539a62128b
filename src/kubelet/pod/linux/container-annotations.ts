import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { containerHash, hashAnnotation } from "../container/container-definition.ts";

/** What a kubelet that has forgotten a pod can still read of its containers. */
export function containerAnnotations(
  { metadata, spec }: Pod,
  container: Container | EphemeralContainer,
  restartCount: number,
): Readonly<Record<string, string>> {
  const {
    terminationMessagePath = "",
    terminationMessagePolicy = "",
    lifecycle,
    ports,
  } = container;
  const { deletionGracePeriodSeconds } = metadata;
  const { terminationGracePeriodSeconds } = spec;
  return {
    [hashAnnotation]: containerHash(container),
    "io.kubernetes.container.restartCount": String(restartCount),
    "io.kubernetes.container.terminationMessagePath": terminationMessagePath,
    "io.kubernetes.container.terminationMessagePolicy": terminationMessagePolicy,
    ...(deletionGracePeriodSeconds !== undefined && {
      "io.kubernetes.pod.deletionGracePeriod": String(deletionGracePeriodSeconds),
    }),
    ...(terminationGracePeriodSeconds !== undefined && {
      "io.kubernetes.pod.terminationGracePeriod": String(terminationGracePeriodSeconds),
    }),
    ...(lifecycle?.preStop && {
      "io.kubernetes.container.preStopHandler": goJson(lifecycle.preStop),
    }),
    ...(ports?.length && { "io.kubernetes.container.ports": goJson(ports) }),
  };
}

/** JSON as Go writes it: safe to stand in a web page. */
const goJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
