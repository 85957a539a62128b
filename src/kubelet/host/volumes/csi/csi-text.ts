/** An error of the plugin, as upstream marks it. */
export const csiError = (text: string): Error => new Error(`kubernetes.io/csi: ${text}`);
