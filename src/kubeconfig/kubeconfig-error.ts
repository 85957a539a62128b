/** A text that is not a kubeconfig, with client-go's message; it never quotes the text. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  /** The problems, where the message lists several. */
  readonly faults: readonly string[];

  constructor(message: string, { faults = [], ...options }: KubeconfigErrorOptions = {}) {
    super(message, options);
    this.faults = faults;
  }
}

interface KubeconfigErrorOptions extends ErrorOptions {
  readonly faults?: readonly string[];
}
