/** An image in the store. */
export interface StoredImage {
  /** The digest of its configuration: `sha256:…`. */
  readonly id: string;
  /** Its tags as full names, such as `docker.io/library/nginx:1.27`. */
  readonly tags: readonly string[];
  /** The digests it was pulled by, as full names: `docker.io/library/nginx@sha256:…`. */
  readonly digests: readonly string[];
  /** The diff IDs of its layers, the lowest first. */
  readonly layers: readonly string[];
  /** The bytes of its configuration, its manifest and its compressed layers. */
  readonly sizeBytes: number;
  readonly config: ImageConfig;
  /** The digest of its manifest, by which its compressed layers are found. */
  readonly manifest: string;
  /** When a name was last given to it, in milliseconds since the epoch. */
  readonly lastTaggedAt: number;
}

/** The configuration of an image as its bytes say it, which are hashed to its ID. */
export interface ImageConfig {
  readonly created?: string | undefined;
  readonly author?: string | undefined;
  readonly architecture: string;
  readonly os: string;
  readonly variant?: string | undefined;
  readonly config?: ImageRunConfig | undefined;
  readonly rootfs: { readonly type: "layers"; readonly diff_ids: readonly string[] };
  readonly history?: readonly ImageHistory[] | undefined;
}

/** How a container of the image runs unless it says otherwise. */
export interface ImageRunConfig {
  readonly User?: string | undefined;
  readonly Env?: readonly string[] | undefined;
  readonly Entrypoint?: readonly string[] | null | undefined;
  readonly Cmd?: readonly string[] | null | undefined;
  readonly WorkingDir?: string | undefined;
  readonly StopSignal?: string | undefined;
  readonly ExposedPorts?: Readonly<Record<string, object>> | null | undefined;
  readonly Volumes?: Readonly<Record<string, object>> | null | undefined;
  readonly Labels?: Readonly<Record<string, string>> | null | undefined;
  readonly Healthcheck?: ImageHealthcheck | undefined;
  readonly ArgsEscaped?: boolean | undefined;
  readonly OnBuild?: readonly string[] | null | undefined;
  readonly Shell?: readonly string[] | undefined;
}

/** Durations are in nanoseconds. */
export interface ImageHealthcheck {
  readonly Test?: readonly string[] | undefined;
  readonly Interval?: number | undefined;
  readonly Timeout?: number | undefined;
  readonly StartPeriod?: number | undefined;
  readonly StartInterval?: number | undefined;
  readonly Retries?: number | undefined;
}

export interface ImageHistory {
  readonly created?: string | undefined;
  readonly created_by?: string | undefined;
  readonly author?: string | undefined;
  readonly comment?: string | undefined;
  readonly empty_layer?: boolean | undefined;
}
