import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** A pod in messages: `NAME_NAMESPACE(UID)`. */
export const podText = ({ metadata }: Pick<Pod, "metadata">): string =>
  `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
