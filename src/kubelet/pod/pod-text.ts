import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** A pod in messages: `NAME_NAMESPACE(UID)`. */
export const podText = ({ metadata: { name, namespace, uid } }: Pod): string =>
  `${name}_${namespace}(${uid})`;
