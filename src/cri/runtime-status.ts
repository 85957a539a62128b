/** What works in a runtime, and what it can do. */
export interface RuntimeStatus {
  /** `RuntimeReady`, `NetworkReady`, and others that a runtime has. */
  readonly conditions: readonly RuntimeCondition[];
  /** The handlers that runtime classes can name; the default one is `""`. */
  readonly handlers: readonly RuntimeHandler[];
  readonly features: RuntimeFeatures;
  /** For people; only where it was requested. */
  readonly info?: Readonly<Record<string, string>> | undefined;
}

export interface RuntimeCondition {
  readonly type: string;
  readonly isTrue: boolean;
  /** Empty where it is true. */
  readonly reason: string;
  readonly message: string;
}

export interface RuntimeHandler {
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

export interface RuntimeFeatures {
  readonly supplementalGroupsPolicy: boolean;
  readonly userNamespacesHostNetwork: boolean;
}

export interface RuntimeConfig {
  /** Undefined if the runtime does not say. */
  readonly cgroupDriver?: "systemd" | "cgroupfs" | undefined;
}
